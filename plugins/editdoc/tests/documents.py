"""Runs the tool on a document in a folder ``docs`` beside which the plugin has its data."""

import asyncio

from editdoc import plugin

from homeagent_sdk.testing import FakeHost


def edited(path, changes, consent=True, **settings):
    """Call the tool on a document; return the result and the questions."""
    data = path.parent.parent / "data"
    data.mkdir(exist_ok=True)

    async def run():
        given = {"folder": str(path.parent), **settings}
        async with FakeHost(plugin, settings=given, consent=consent, data_folder=data) as host:
            return await host.call("edit_document", path=path.name, changes=changes), host.questions

    return asyncio.run(run())


def question_of(questions):
    (question,) = questions
    return question
