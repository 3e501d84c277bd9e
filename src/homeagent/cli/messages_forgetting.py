"""What is said about forgetting, people, secrets, retention and backups, in English and in Chinese."""

from __future__ import annotations

from typing import Final

__all__ = ["FORGETTING"]

FORGETTING: Final[dict[str, tuple[str, str]]] = {
    # -- help
    "help_forget": ("hide turns from memory; 'undo' brings them back", "从记忆中隐藏对话，可用 undo 恢复"),
    "help_undo": ("bring forgotten turns back", "恢复已遗忘的对话"),
    "help_erase": ("delete turns for good, from every file", "从所有文件中彻底删除对话"),
    "help_share": ("show a turn to somebody who was not there", "把一次对话分享给当时不在场的人"),
    "help_unshare": ("take a share back", "取消分享"),
    "help_secrets": ("list where passwords, keys and numbers stand", "列出密码、密钥、证件号出现的位置"),
    "help_retention": ("how long hidden outputs are kept", "隐藏的输出保留多久"),
    "help_retention_set": ("set the rule", "设置规则"),
    "help_retention_keep": ("keep hidden outputs", "保留隐藏的输出"),
    "help_retention_erase": ("erase hidden outputs after some days", "若干天后彻底删除隐藏的输出"),
    "help_retention_show": ("show the rule and what it would erase now", "显示规则及现在会删除的内容"),
    "help_retention_run": ("erase what the rule says, now", "立即按规则删除"),
    "help_restore": ("put a backup in this home's place", "用备份恢复这个主目录"),
    "help_people": ("say who is who", "管理人物对应关系"),
    "help_people_link": ("say that a sender of a channel is a person", "指明某渠道的发送者是谁"),
    "help_people_unlink": ("take a link back", "取消对应"),
    "help_people_list": ("list persons and their sender ids", "列出人物和他们的发送者编号"),
    "help_people_undo": ("take the last change back", "撤销上一次修改"),
    # -- arguments
    "argument_turns": ("ids or external ids of turns", "对话的编号或外部编号"),
    "option_fact": ("every turn that says this fact", "说到这条事实的所有对话"),
    "option_of_person": ("every turn that this person said", "此人说的所有对话"),
    "option_from": ("every turn from this time on, e.g. 2026-05-03", "从这个时间起的对话，例如 2026-05-03"),
    "option_to": ("... up to this time, a day included", "……到这个时间为止，含当天"),
    "option_search": ("every turn that holds all of these words", "含有所有这些词的对话"),
    "option_yes": ("do not ask", "不再询问"),
    "option_prove": ("then scan every file for what is left", "随后扫描所有文件，证明没有残留"),
    "option_with": ("the person to share with", "分享给谁"),
    "option_place": ("the chat to share in, CHANNEL/CHAT", "分享到哪个聊天，格式为 渠道/聊天"),
    "option_after_days": ("days after which they are erased", "多少天后删除"),
    "option_every": ("make a backup every so many hours, in the home", "每隔多少小时在主目录内备份一次"),
    "option_keep": ("how many of those to keep (7)", "保留最近几份（缺省 7）"),
    "option_off": ("make none any more", "不再自动备份"),
    "argument_restore": ("a backup of a log", "日志的备份文件"),
    "argument_channel": ("the channel", "渠道"),
    "argument_sender": ("the sender's id in that channel", "发送者在该渠道的编号"),
    "argument_person": ("the person's name", "人物的名字"),
    # -- forgetting and erasing
    "turn_line": (
        "{turn} {at} {sender} in {channel}/{chat}: {text}",
        "{turn} {at} {sender} 在 {channel}/{chat}：{text}",
    ),
    "forgotten": (
        "Forgotten: {count} turns. 'memory undo' brings them back.",
        "已遗忘 {count} 次对话，可用 memory undo 恢复。",
    ),
    "brought_back": ("Brought back: {count} turns.", "已恢复 {count} 次对话。"),
    "would_erase": ("To be erased for good:", "将彻底删除："),
    "and_more": ("... and {count} more", "……另有 {count} 次"),
    "write_line": ("written on purpose: {kind} {seq}", "有意写入的内容：{kind} {seq}"),
    "survivors": ("What says the same and stays:", "以下内容说的相同或有引用，仍会保留："),
    "survivor_twin": ("the same words: {name} segment {segment}", "相同的话：{name} 第 {segment} 段"),
    "survivor_echo": ("{why}: {name} segment {segment}", "{why}：{name} 第 {segment} 段"),
    "why_cites": ("cites it", "引用了它"),
    "why_quotes": ("quotes it", "引述了它"),
    "erase_ask": ("Erase this for good? Type yes: ", "确定彻底删除？请输入 yes："),
    "erase_not": ("Nothing was erased.", "没有删除任何内容。"),
    "erase_needs_yes": (
        "would delete {count} turns for good, and nobody is here to be asked",
        "会彻底删除 {count} 次对话，而这里没有人可以确认",
    ),
    "erase_needs_yes_next": (
        "Look at them with 'memory show', then add --yes",
        "请先用 memory show 查看，然后加上 --yes",
    ),
    "erased": ("Erased: {turns} turns ({names}).", "已彻底删除 {turns} 次对话（{names}）。"),
    "erased_copies": (
        "Erased from {copies} copies of the log in this home, too.",
        "主目录内的 {copies} 份日志副本也已清除。",
    ),
    "erased_outside": (
        "Backups and exports that you made elsewhere still hold it.",
        "您在别处做的备份和导出文件里仍有这些内容。",
    ),
    "proved": (
        "Scanned {files} files, {bytes} bytes: found {found}.",
        "扫描了 {files} 个文件、{bytes} 字节：找到 {found} 处。",
    ),
    "proof_where": ("still in {place}", "仍在 {place}"),
    "proof_own": ("your own file {file} says it too", "您自己的文件 {file} 里也有"),
    # -- people and sharing
    "person_line": ("{person}: {senders} ({turns} turns)", "{person}：{senders}（{turns} 次对话）"),
    "nobody": ("Nobody has spoken here yet.", "这里还没有人说过话。"),
    "linked": ("{channel} {sender} is {person}.", "{channel} 的 {sender} 就是 {person}。"),
    "unlinked": ("{channel} {sender} is a person of his own again.", "{channel} 的 {sender} 重新算作单独的人。"),
    "link_unknown": ("is not linked", "没有对应关系"),
    "link_unknown_next": ("See 'homeagent people list'", "请看 homeagent people list"),
    "person_new": (
        "{person} is somebody new: so far there were {known}.",
        "{person} 是新的人：此前有 {known}。",
    ),
    "share_unknown": ("is nobody who was here or is linked", "不是来过或关联过的人"),
    "share_unknown_next": (
        "There are {known}; 'homeagent people link CHANNEL SENDER PERSON' adds another",
        "已有：{known}；用 homeagent people link 渠道 发送者 人名 可以添加",
    ),
    "shared_with": ("shared with {whom}", "已分享给 {whom}"),
    "shared_with_nobody": ("shared with nobody", "没有分享给任何人"),
    "bad_place": ("{text} is no chat", "{text} 不是聊天"),
    "bad_place_next": ("Write CHANNEL/CHAT, e.g. cli/main", "请写成 渠道/聊天，例如 cli/main"),
    # -- secrets
    "secret_line": ("{kind} {masked} in {name} segment {segment}", "{kind} {masked}，在 {name} 第 {segment} 段"),
    "secrets_none": ("No secrets of a known shape.", "没有发现已知形式的机密。"),
    "secrets_next": (
        (
            "Recall hands them out masked. To delete one: homeagent memory erase TURN\n"
            "To keep a tool's outputs out of memory: homeagent config set policies.tools.NAME no_memory"
        ),
        (
            "回忆时会打码。要彻底删除：homeagent memory erase 编号\n"
            "要让某个工具的输出不进记忆：homeagent config set policies.tools.工具名 no_memory"
        ),
    ),
    # -- retention
    "retention_keep": ("Hidden outputs are kept.", "隐藏的输出会一直保留。"),
    "retention_erase": (
        "Hidden outputs are erased after {days} days, looked at once a day.",
        "隐藏的输出在 {days} 天后彻底删除，每天检查一次。",
    ),
    "retention_due": ("Due now: {count} outputs, {bytes} bytes.", "现在到期：{count} 个输出，{bytes} 字节。"),
    "retention_ran": ("Erased: {count} outputs, {bytes} bytes.", "已删除 {count} 个输出，{bytes} 字节。"),
    # -- backups
    "backup_rule": (
        "A backup every {hours} hours, the newest {keep} are kept in {folder}.",
        "每 {hours} 小时备份一次，最近 {keep} 份保存在 {folder}。",
    ),
    "backup_rule_off": ("No backups are made by themselves.", "不自动备份。"),
    "backup_nothing": ("names neither a file nor --every", "没有给出文件，也没有 --every"),
    "backup_nothing_next": ("Give a file to write, or --every HOURS", "请给出要写的文件，或 --every 小时数"),
    "restored": ("Restored {turns} turns from {file}.", "已从 {file} 恢复 {turns} 次对话。"),
    "restored_aside": ("What was here is kept as {file}.", "原有内容保存为 {file}。"),
    "restored_erased": (
        "Erased again, as they were erased since: {count} turns.",
        "其中 {count} 次对话此前已被彻底删除，已再次删除。",
    ),
}
"""Messages by key, in English and in Chinese; gaps in braces."""
