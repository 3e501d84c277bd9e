"""What the built-in plugins say about themselves, for people: each plugin, its settings, and its tools in Chinese."""

from __future__ import annotations

from typing import Final

__all__ = ["BUILT_IN", "IN_CHINESE"]

BUILT_IN: Final[dict[str, tuple[str, str]]] = {
    "about_plugin_memory": ("Looks things up in memory, notes, corrects and forgets", "查找记忆、记笔记、更正与遗忘"),
    "about_plugin_files": ("Reads and writes text files", "读写文本文件"),
    "about_plugin_shell": ("Runs commands on this machine", "在本机运行命令"),
    "about_plugin_terminal": ("Works in programs that keep running", "在持续运行的程序里操作"),
    "about_plugin_clock": ("Tells the time and reminds", "报时与提醒"),
    "about_plugin_people": ("Knows who is who", "了解每个人及其关系"),
    "setting_plugins.files.roots": ("Folders it may use", "可使用的文件夹"),
    "setting_plugins.files.ask_before": ("Ask me before", "哪些操作先问我"),
    "option_plugins.files.ask_before.nothing": ("nothing", "都不问"),
    "option_plugins.files.ask_before.replacing": ("changing a file that exists", "修改已有文件"),
    "option_plugins.files.ask_before.writing": ("any writing", "任何写入"),
    "setting_plugins.files.largest_bytes": ("Largest file, in bytes", "最大文件（字节）"),
    "setting_plugins.shell.allow": ("Commands that need no asking", "无需询问的命令"),
    "setting_plugins.shell.deny": ("Commands that are refused", "拒绝运行的命令"),
    "setting_plugins.shell.folder": ("Folder where commands run", "运行命令的文件夹"),
    "setting_plugins.shell.shell": ("Shell that reads commands", "使用的 shell"),
    "setting_plugins.shell.keep_variables": ("Environment variables to keep", "保留的环境变量"),
    "setting_plugins.shell.hide_variables": ("Environment variables to hide", "隐藏的环境变量"),
    "setting_plugins.shell.seconds": ("Seconds a command may take", "命令最长运行秒数"),
    "setting_plugins.shell.output_bytes": ("Output that is kept, in bytes", "保留的输出（字节）"),
    "setting_plugins.terminal.ask": ("Ask me about", "哪些操作先问我"),
    "option_plugins.terminal.ask.input": ("opening a terminal and each input", "打开终端和每次输入"),
    "option_plugins.terminal.ask.opening": ("only opening a terminal", "只问打开终端"),
    "option_plugins.terminal.ask.never": ("nothing", "都不问"),
    "setting_plugins.terminal.sessions": ("Terminals at the same time", "同时运行的终端数"),
    "setting_plugins.terminal.idle_seconds": ("Seconds until an unused terminal closes", "闲置多少秒后关闭"),
    "setting_plugins.terminal.buffer_bytes": ("Unread output that is kept, in bytes", "保留的未读输出（字节）"),
    "setting_plugins.terminal.read_bytes": ("Output of one call, in bytes", "每次返回的输出（字节）"),
    "setting_plugins.terminal.folder": ("Folder where programs start", "启动程序的文件夹"),
    "setting_plugins.terminal.shell": ("Program that runs when none is named", "未指定时运行的程序"),
    "setting_plugins.terminal.keep_variables": ("Environment variables to keep", "保留的环境变量"),
    "setting_plugins.terminal.hide_variables": ("Environment variables to hide", "隐藏的环境变量"),
    "setting_plugins.clock.zone": ("Time zone of the home", "家里的时区"),
}
"""Key, then English, then Chinese."""

IN_CHINESE: Final[dict[str, str]] = {
    "Look up earlier conversations: passages with date, place and speaker, the best first.": (
        "查找以前的对话：片段附日期、地点和说话人，最相关的在前。"
    ),
    "Keep a note for good. All that is said is remembered anyway: use it when someone asks you to note something.": (
        "长期保存一条笔记。说过的话本来就会记住，有人要求记下时才用。"
    ),
    "Say for each part of an earlier turn whether it can be found in memory, and why or why not.": (
        "说明以前一轮对话的每个部分能否在记忆中找到，以及原因。"
    ),
    "Read on in an earlier turn of which only a part was shown, in pieces of 4,000 characters.": (
        "继续读以前只显示了一部分的一轮对话，每次 4,000 字。"
    ),
    (
        "Hide turns from the memory: they are found no more and give no facts, until it is undone. Nothing is deleted."
    ): "在记忆中隐藏某些轮次：恢复之前不再找到，也不产生事实。不会删除任何内容。",
    (
        "Look into archived conversations: give a question to find documents, then a document's id to read it whole."
    ): "查看归档的对话：先用问题找到文档，再用文档编号读全文。",
    "Put turns together as a document of its own, whatever else they are in; nothing of them is changed.": (
        "把若干轮对话合成一个单独的文档，原内容不变。"
    ),
    "Write one fact into the memory on purpose. What people say is distilled by itself: use it when asked to.": (
        "手动写入一条事实。说过的话会自动提炼，有人要求时才用。"
    ),
    "Say that a fact is wrong and what is right. The wrong one no longer counts, and stays askable.": (
        "指出一条事实有误并给出正确的。错误的不再有效，但仍可查询。"
    ),
    "Say that two names or ids are one person or thing. No fact is changed, and it can be taken back.": (
        "说明两个名字或编号指的是同一个人或事物。不改动事实，可以撤回。"
    ),
    (
        "Take a fact out of the memory with everything that says it: every such turn is hidden, or deleted for good."
    ): "从记忆中去掉一条事实及所有提到它的内容：相关轮次会隐藏，或彻底删除。",
    'Read a text file: JSON with the text in "content"; of a folder the names in it, one a line.': (
        "读取文本文件，返回 JSON，正文在 content 中；对文件夹则列出其中的名称，每行一个。"
    ),
    'List a folder: date, size in bytes and name of each entry; folders end with "/".': (
        "列出文件夹：每项的日期、大小（字节）和名称，文件夹以“/”结尾。"
    ),
    "Write a text file as UTF-8, replacing all that was in it; folders that are missing are made.": (
        "以 UTF-8 写入文本文件，替换原有全部内容；缺少的文件夹会自动建立。"
    ),
    "Replace a piece of a text file; the rest, its encoding and its line ends stay as they are.": (
        "替换文本文件中的一段，其余内容、编码和换行保持不变。"
    ),
    "Run a shell command on this machine; returns stdout and stderr together, and the exit code if it isn't 0.": (
        "在本机运行 shell 命令，一并返回标准输出和错误输出；退出码不为 0 时也会返回。"
    ),
    "Open a terminal with a program that keeps running, e.g. a shell, an editor, ssh; returns its id and output.": (
        "打开终端并启动一个持续运行的程序，如 shell、编辑器、ssh；返回终端编号和输出。"
    ),
    "Type into a terminal, then return the new output. The person may be asked first.": (
        "在终端中输入，然后返回新的输出。可能会先询问本人。"
    ),
    "Return what a terminal has shown since the last call, with its control characters.": (
        "返回终端自上次调用以来显示的内容，包括控制字符。"
    ),
    "Give a terminal another size.": "改变终端的大小。",
    "Close a terminal: its program and all that it started are ended. Returns output that was not read yet.": (
        "关闭终端：结束其中的程序及它启动的一切，返回尚未读取的输出。"
    ),
    "List the terminals of this chat: id, program, folder, size, whether it runs, unread output.": (
        "列出本对话的终端：编号、程序、文件夹、大小、是否在运行、未读输出。"
    ),
    "Tell date, time and weekday.": "告知日期、时间和星期。",
    "Set a timer: in so many minutes a message comes into this chat. It survives a restart.": (
        "设定计时器：若干分钟后在本对话中发来消息。重启后仍有效。"
    ),
    "Set a reminder: at that moment a message comes into this chat. It survives a restart. Give at or minutes.": (
        "设定提醒：到时在本对话中发来消息。重启后仍有效。可给出时刻或分钟数。"
    ),
    "List the timers and reminders of this chat that still wait, the next one first.": (
        "列出本对话中尚未到时的计时器和提醒，最近的在前。"
    ),
    "Take back a timer or reminder of this chat.": "取消本对话的计时器或提醒。",
    "Say what is known of a person: facts with their ids, since when, and the words that say them.": (
        "说出对某人的了解：事实及其编号、何时起有效，以及出处原话。"
    ),
    "Write something about a person into the memory on purpose: it is kept for that person and nobody else.": (
        "手动写入关于某人的一条记忆，只属于此人。"
    ),
    (
        'Write who somebody is to a person: "my sister is Ottoline" is person "me", relation "sister", '
        'other "Ottoline".'
    ): "写入某人与另一人的关系，如“我妹妹是小林”：人是“我”，关系是“妹妹”，对方是“小林”。",
    "folders whose files may be read and written; a folder of the agent's own if none is named": (
        "可以读写其中文件的文件夹；未指定时使用助手自己的文件夹"
    ),
    "what the person is asked about: nothing, changing a file that exists, or all writing": (
        "哪些操作先征求同意：都不问、修改已有文件，或任何写入"
    ),
    "larger files are not read": "更大的文件不读取",
    (
        "first words of commands that need no asking, e.g. 'git status'; only plain commands in the usual folder, "
        "without ; | && $( ) or wildcards; whatever arguments follow are allowed too; '*' allows everything"
    ): (
        "无需询问的命令的开头，如 git status；仅限在默认文件夹中运行、不含 ; | && $( ) 或通配符的简单命令；"
        "后面带什么参数都允许；* 表示全部允许"
    ),
    "words that a command may not have in a row, e.g. 'sudo'; it is then refused without asking": (
        "命令中不得连续出现的词，如 sudo；出现则直接拒绝，不再询问"
    ),
    "where commands run; your home folder if empty": "命令在哪里运行；留空则用你的主目录",
    "the shell that reads commands; bash if empty, else sh": "解释命令的 shell；留空则用 bash，没有 bash 时用 sh",
    "environment variables that commands may see although they look like secrets": (
        "名称看似密钥、但允许命令看到的环境变量"
    ),
    "further environment variables that commands may not see; those with the keys of models they never do": (
        "另外不让命令看到的环境变量；模型密钥一律看不到"
    ),
    "how long a command may take if the call says nothing else": "调用未另作说明时，命令最长运行多久",
    "of a longer output the beginning and the end are kept": "输出更长时保留开头和结尾",
    "what the person is asked about: opening a terminal and each input, only opening one, or nothing": (
        "哪些操作先征求同意：打开终端和每次输入、只问打开，或都不问"
    ),
    "how many terminals may run at the same time": "可以同时运行多少个终端",
    "a terminal that is not used for so long is closed": "闲置这么久的终端会被关闭",
    "how much unread output is kept; the oldest goes first": "保留多少未读输出；最早的先丢弃",
    "how much output one call returns at most": "一次调用最多返回多少输出",
    "where programs start; your home folder if empty": "程序在哪里启动；留空则用你的主目录",
    "what runs when no command is given; your own shell if empty": "没有给出命令时运行什么；留空则用你自己的 shell",
    "environment variables that programs may see although they look like secrets": (
        "名称看似密钥、但允许程序看到的环境变量"
    ),
    "further environment variables that programs may not see; those with the keys of models they never do": (
        "另外不让程序看到的环境变量；模型密钥一律看不到"
    ),
    "the time zone of the home, e.g. Asia/Shanghai; that of the machine if empty": (
        "家里的时区，如 Asia/Shanghai；留空则用本机的时区"
    ),
}
"""What a built-in plugin says of a tool or a setting, by its English words."""
