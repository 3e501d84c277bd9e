"""Taking back and deleting for good."""

from __future__ import annotations

from typing import Final

__all__ = ["FORGETTING"]

FORGETTING: Final[dict[str, tuple[str, str]]] = {
    "forget_about": (
        "Take back what was said: for now, or for good with a proof that no file of this home holds it any more.",
        "撤回说过的话：可以暂时遗忘，也可以彻底删除，并证明本机主目录的文件中不再有它。",
    ),
    "forget": ("Forget", "遗忘"),
    "forget_explained": (
        "Hides it from search, facts and answers. The words stay in the log, so it can be brought back.",
        "在搜索、事实和回答中隐藏。原文仍在日志里，可以恢复。",
    ),
    "bring_back": ("Bring back", "恢复"),
    "bring_back_explained": ("Takes a forgetting back, word for word.", "撤销遗忘，原样恢复。"),
    "erase": ("Erase for good", "彻底删除"),
    "erase_explained": (
        "Deletes every word from every file, then searches all of them and shows what it found: that is the proof.",
        "从所有文件中删除每个字，然后逐个扫描文件并显示结果，这就是证明。",
    ),
    "what_is_meant": ("What do you mean?", "选择内容"),
    "by_turns": ("Turns, by number", "对话编号"),
    "by_words": ("Everything with these words", "包含这些文字的内容"),
    "by_person": ("Everything of a person", "某个人说的全部"),
    "since": ("From", "从"),
    "until": ("To", "到"),
    "members_own_turns": (
        "You can take back turns that you said yourself. For anything else ask the owner.",
        "你可以撤回自己说的话。其他内容请找主人。",
    ),
    "show_meant": ("Show what that is", "查看包含什么"),
    "meant": ("This means {turns} turns and {writes} written facts", "包含 {turns} 轮对话和 {writes} 条写入的事实"),
    "meant_one": ("This means 1 turn and {writes} written facts", "包含 1 轮对话和 {writes} 条写入的事实"),
    "meant_forgotten": ("{turns} more turns are forgotten already", "另有 {turns} 轮对话已遗忘"),
    "meant_forgotten_one": ("1 more turn is forgotten already", "另有 1 轮对话已遗忘"),
    "forgotten_now_one": ("Forgotten: 1 turn. It can be brought back.", "已遗忘 1 轮对话，可以恢复。"),
    "brought_back_one": ("Brought back: 1 turn.", "已恢复 1 轮对话。"),
    "survivors_one": ("1 other place says some of the same words and stays", "另有 1 处含有部分相同的文字，将会保留"),
    "erased_one": ("Erased: 1 turn and {writes} written facts", "已删除 1 轮对话和 {writes} 条写入的事实"),
    "and_more": ("… and {count} more", "……另有 {count} 条"),
    "erase_now": ("Erase for good…", "彻底删除……"),
    "forgotten_now": ("Forgotten: {turns} turns. It can be brought back.", "已遗忘 {turns} 轮对话，可以恢复。"),
    "brought_back": ("Brought back: {turns} turns.", "已恢复 {turns} 轮对话。"),
    "forgotten_list": ("Forgotten now", "当前已遗忘"),
    "forgotten_none": ("Nothing is forgotten.", "没有遗忘任何内容。"),
    "no_survivors": ("Nothing else says the same.", "没有其他地方说过同样的话。"),
    "survivors": (
        "{count} other places say some of the same words and stay",
        "另有 {count} 处含有部分相同的文字，将会保留",
    ),
    "survivors_about": (
        "Look at them and erase them too if you mean them as well.",
        "请查看；如果也要删除，请一并删除。",
    ),
    "survivor_written": ("A fact written on purpose {why}", "一条手动写入的事实{why}"),
    "why_same": ("says the same words", "说了同样的话"),
    "why_cites": ("cites it", "引用了它"),
    "why_quotes": ("quotes it", "照抄了它"),
    "written_on_purpose": ("written on purpose", "手动写入"),
    "secrets": ("Keys and passwords in what was said", "对话中的密钥和密码"),
    "secrets_about": (
        "Looks in every word that is kept for keys, passwords and card numbers, and shows them masked.",
        "在保存的全部原文中查找已知形式的密钥、密码和卡号，遮盖后显示。",
    ),
    "reason: api-key": ("Key", "密钥"),
    "reason: said-password": ("Password", "密码"),
    "reason: jwt": ("Token (JWT)", "令牌（JWT）"),
    "reason: bearer-token": ("Token (bearer)", "令牌（bearer）"),
    "reason: connection": ("Address with a password", "含密码的地址"),
    "reason: card-number": ("Card number", "卡号"),
    "secrets_look": ("Look for secrets", "查找密钥和密码"),
    "secrets_none": ("No secret was found.", "没有找到密钥或密码。"),
    "secrets_found": ("{count} places hold a secret", "有 {count} 处含有密钥或密码"),
    "secrets_found_one": ("1 place holds a secret", "有 1 处含有密钥或密码"),
    "erase_sure": ("Erase for good?", "确定彻底删除？"),
    "erase_sure_about": (
        "This can't be taken back. Copies of the home elsewhere, such as backups, are not touched.",
        "删除后无法恢复。别处的副本（例如备份）不受影响。",
    ),
    "erase_yes": ("Yes, erase it", "确定删除"),
    "erasing": ("Erasing, then searching every file…", "正在删除，然后扫描所有文件……"),
    "erased": ("Erased: {turns} turns and {writes} written facts", "已删除 {turns} 轮对话和 {writes} 条写入的事实"),
    "erased_copies": ("{count} copies of files went too.", "另有 {count} 份文件副本也已删除。"),
    "erased_elsewhere": (
        "Copies elsewhere (backups, exports, other machines) are not reached from here.",
        "别处的副本（备份、导出文件、其他机器）不在此列。",
    ),
    "proof_clean": (
        "Proof: {files} files ({size} MB) were searched, {found} traces were found. It is gone.",
        "证明：已扫描 {files} 个文件（{size} MB），找到 {found} 处痕迹。内容已完全删除。",
    ),
    "proof_left": (
        "{found} traces are left in {files} files ({size} MB):",
        "在 {files} 个文件（{size} MB）中还有 {found} 处痕迹：",
    ),
    "proof_about": (
        "Every file of the home is read byte for byte, also inside compressed parts, for every line that was erased.",
        "逐字节读取主目录下的每个文件（包括压缩部分），查找每一行被删除的文字。",
    ),
    "proof_own_file": ("A file you wrote yourself holds it: {file}", "你自己写的文件中还有：{file}"),
}
"""Key, then English, then Chinese."""
