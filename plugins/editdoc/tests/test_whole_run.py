import asyncio
import zipfile

from dev.plugin_tests.whole_run import call, whole_run

TYPES = '<?xml version="1.0" encoding="UTF-8"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>'
RELS = '<?xml version="1.0" encoding="UTF-8"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>'
WORDS = '<?xml version="1.0" encoding="UTF-8"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>The vault code is quagmire.</w:t></w:r></w:p></w:body></w:document>'


def test_a_document_is_changed_and_nothing_of_it_is_computed(tmp_path):
    async def run():
        folder = tmp_path / "Documents"
        folder.mkdir()
        with zipfile.ZipFile(folder / "note.docx", "w") as archive:
            for name, text in {"[Content_Types].xml": TYPES, "_rels/.rels": RELS, "word/document.xml": WORDS}.items():
                archive.writestr(name, text)
        change = {"action": "replace", "old": "quagmire", "text": "zephyrine 蜃楼"}
        script = [
            call("edit_document", path="note.docx"),
            call("edit_document", 2, path="note.docx", changes=[change]),
            "The note is changed.",
        ]
        settings, permissions = {"folder": str(folder)}, [f"write:{folder}"]
        async with whole_run(
            tmp_path / "home", "editdoc", script, settings=settings, permissions=permissions, consent=True
        ) as world:
            await world.say("Please change the note in my documents.")
            first, second = world.outputs()
            assert "The vault code is quagmire." in first
            assert "replaced 'quagmire'" in second
            assert "zephyrine 蜃楼" in zipfile.ZipFile(folder / "note.docx").read("word/document.xml").decode()
            assert "zephyrine" in world.questions[0]
            assert "change the note" in world.found("What was to be changed in my documents?")[0].text
            for hidden in ("quagmire", "zephyrine", "蜃楼", "vault"):
                assert hidden not in world.computed()

    asyncio.run(run())
