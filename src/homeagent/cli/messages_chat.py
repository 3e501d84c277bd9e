"""What is said around a conversation, in English and in Chinese: the first start, commands, questions, status."""

from __future__ import annotations

from typing import Final

__all__ = ["CHAT"]

CHAT: Final[dict[str, tuple[str, str]]] = {
    # -- help
    "help_chat": ("talk, with a model or without one", "聊天，有没有模型都可以"),
    "option_attach": ("a file that goes with what you say (repeatable)", "随消息附上的文件（可重复）"),
    "option_private": ("begin incognito: nothing is kept", "以无痕方式开始：什么都不保存"),
    # -- welcome
    "welcome_offline": (
        (
            "HomeAgent works at once, without a model: it keeps what you tell it, finds it again, and runs tools\n"
            "that you type. Try:  My cat is called Bean.   and then:  What is the cat called?\n"
            "When you want a model to answer, add one at any time; no restart is needed:\n"
            "  on this machine  {command} config set models.home"
            " \"base_url='http://127.0.0.1:11434/v1', model='qwen3:8b'\"\n"
            "  at a provider    {command} config set models.cloud"
            " \"base_url='https://api.example.com/v1', model='NAME', key_env='MODEL_KEY'\"\n"
            "                   (the key itself stands in the environment variable MODEL_KEY)\n"
            "/help lists the commands, /quit leaves."
        ),
        (
            "HomeAgent 现在就能用，不需要模型：它会记住你说的话、帮你找回来，也能运行你输入的工具命令。\n"
            "试试：我的猫叫豆豆。   然后问：猫叫什么名字？\n"
            "想让模型来回答，随时可以添加，不用重启：\n"
            "  本机的模型服务  {command} config set models.home"
            " \"base_url='http://127.0.0.1:11434/v1', model='qwen3:8b'\"\n"
            "  在线的模型服务  {command} config set models.cloud"
            " \"base_url='https://api.example.com/v1', model='模型名', key_env='MODEL_KEY'\"\n"
            "                  （密钥本身放在环境变量 MODEL_KEY 里）\n"
            "/help 列出命令，/quit 退出。"
        ),
    ),
    "welcome_back_offline": (
        (
            "No model: answers come from the memory. To add one:  {command} config set models.home"
            " \"base_url='http://127.0.0.1:11434/v1', model='qwen3:8b'\"\n"
            "/help lists the commands, /quit leaves."
        ),
        (
            "没有模型：回答来自记忆。添加模型：{command} config set models.home"
            " \"base_url='http://127.0.0.1:11434/v1', model='qwen3:8b'\"\n"
            "/help 列出命令，/quit 退出。"
        ),
    ),
    "welcome_model": (
        "Talking to {name} ({model}). /help lists the commands, /quit leaves.",
        "正在与 {name}（{model}）对话。/help 列出命令，/quit 退出。",
    ),
    "prompt_private": ("private> ", "无痕> "),
    # -- commands
    "chat_help_new": (
        "/new             begin a new conversation; the old one can still be recalled",
        "/new             开始新的对话；旧的仍能回忆起来",
    ),
    "chat_help_undo": ("/undo            take the last turn back", "/undo            收回上一轮对话"),
    "chat_help_retry": ("/retry           answer the last message again", "/retry           重新回答上一条消息"),
    "chat_help_private": (
        "/private         incognito on or off: nothing of it is kept",
        "/private         开关无痕模式：期间什么都不保存",
    ),
    "chat_help_tool": (
        "/tool NAME k=v   run a tool yourself; /tool alone lists them",
        "/tool 名称 k=v   自己运行工具；只写 /tool 列出所有工具",
    ),
    "chat_help_attach": (
        "/attach FILE     send a file with the next message",
        "/attach 文件     随下一条消息附上文件",
    ),
    "chat_help_why": (
        "/why             what was recalled for the last turn, and why",
        "/why             上一轮回忆了什么，为什么",
    ),
    "chat_help_memory": (
        "/memory last     what of the last turn is computed, and why",
        "/memory last     上一轮的哪些内容进入了计算，为什么",
    ),
    "chat_help_help": ("/help            this list", "/help            显示这个列表"),
    "chat_help_quit": (
        "/quit            leave, as do Ctrl+D and Ctrl+C at the prompt",
        "/quit            退出；在提示符处按 Ctrl+D 或 Ctrl+C 也可以",
    ),
    "no_such_command": ("There is no {name}; /help lists the commands.", "没有 {name} 这个命令；/help 列出所有命令。"),
    "began_anew": (
        "A new conversation. Turns put away: {count}; they can still be recalled.",
        "新的对话开始了。已归档 {count} 轮，仍能回忆起来。",
    ),
    "taken_back": ("Taken back; it is not recalled any more ({turn}).", "已收回，不会再被回忆（{turn}）。"),
    "taken_back_private": ("Taken back; it was kept nowhere.", "已收回，它本来就没有保存。"),
    "nothing_to_take_back": ("There is no turn in view to take back.", "当前没有可以收回的对话。"),
    "nothing_to_retry": ("There is nothing to answer again.", "没有可以重新回答的消息。"),
    "retrying": ("Again: {text}", "重新回答：{text}"),
    "private_on": (
        "Incognito: from here on nothing is kept. /private again ends it.",
        "无痕模式：从现在起什么都不保存。再输入 /private 结束。",
    ),
    "private_off": ("Turns are kept again.", "恢复保存对话。"),
    "heard_in_private": ("Heard; nothing of it is kept.", "听到了，不会留下记录。"),
    "private_leaves_nothing": (
        "The last turn was incognito; nothing of it was kept.",
        "上一轮是无痕的，什么都没有保存。",
    ),
    "no_turn_yet": ("There is no turn yet.", "还没有对话。"),
    "memory_last_only": ("only the last turn can be looked at here", "这里只能看上一轮对话"),
    "attached": (
        "With the next message: {name} ({media_type}, {bytes} bytes).",
        "将随下一条消息发送：{name}（{media_type}，{bytes} 字节）。",
    ),
    "attach_nothing": ("no file is named", "没有写文件名"),
    "attach_folder": ("is a folder", "是一个文件夹"),
    "attach_large": ("is larger than {most} MB", "超过 {most} MB"),
    "attach_next": ("Name a file that you can read", "请给出一个可以读取的文件"),
    # -- why
    "why_question": ("For: {question}", "针对：{question}"),
    "why_nothing": ("Nothing was recalled.", "没有回忆任何内容。"),
    "why_answerable": (
        "How likely the memory holds the answer: {percent}",
        "记忆中有答案的可能性：{percent}",
    ),
    "why_fact": ("- known: {subject} - {relation} - {value}", "- 已知：{subject} - {relation} - {value}"),
    "why_used": ("used", "用上了"),
    "why_matched": ("; matched by: {why}", "；匹配依据：{why}"),
    "left_in_view": ("not used: it is in view already", "未用：它就在当前对话里"),
    "left_no_room": ("not used: there was no room for it", "未用：放不下了"),
    "left_only_asks": ("not used: it only asked the same", "未用：它只是问了同样的问题"),
    "left_nothing_fits": ("not used: nothing that was found answers this", "未用：找到的内容都不是答案"),
    "left_far_behind": ("not used: it fits much less than the best", "未用：相关程度远不如最好的"),
    "left_beyond": ("not used: others came first", "未用：排在后面"),
    # -- during a turn
    "status_waiting": ("one moment", "请稍候"),
    "status_thinking": ("thinking", "正在思考"),
    "status_note": ("Note: {detail}", "提示：{detail}"),
    "status_cut": ("The answer was cut by its limit{detail}.", "回答达到长度上限，被截断{detail}。"),
    "status_held_back": (
        "The answer was held back by the model or its server{detail}.",
        "回答被模型或其服务拦下{detail}。",
    ),
    "status_silent": ("The model said nothing more{detail}.", "模型没有再说什么{detail}。"),
    "status_no_recall": ("Nothing could be recalled: {detail}", "无法回忆：{detail}"),
    "status_tools_out": (
        "{detail} tools don't fit into the model's window.",
        "模型的窗口放不下 {detail} 个工具。",
    ),
    "status_turns_out": ("Older turns out of view: {detail}.", "有 {detail} 轮较早的对话不在视野里。"),
    "tool_done": ("  {tool}: done in {seconds} s", "  {tool}：完成，{seconds} 秒"),
    "tool_failed": ("  {tool}: failed after {seconds} s", "  {tool}：失败，{seconds} 秒"),
    "turn_stopped": ("Stopped; the turn is kept as interrupted.", "已停止；这一轮记为中断。"),
    "ask_consent": ("Allow it? [y/N] ", "允许吗？[y/N] "),
    "nobody_to_ask": ("Nobody can be asked here, so it is not done.", "这里没有人可以询问，所以不执行。"),
    "settings_read": ("The settings have changed; {model} answers now.", "设置已更新；现在由 {model} 回答。"),
    "settings_stay": ("The settings before that stay in force.", "仍按之前的设置进行。"),
    # -- models
    "model_key_missing": ("its key is missing: {problem}", "密钥缺失（{problem}）"),
    "model_key_refused": ("its key was refused: {problem}", "密钥被拒绝（{problem}）"),
    "model_credit": ("no credit is left: {problem}", "账户额度已用完（{problem}）"),
    "model_too_long": ("too long for its window: {problem}", "对话超出模型的窗口（{problem}）"),
    "model_busy": ("it is busy: {problem}", "服务繁忙（{problem}）"),
    "model_slow": ("it took too long: {problem}", "等待回答超时（{problem}）"),
    "model_down": ("it can't be reached: {problem}", "连不上模型服务（{problem}）"),
    "model_broken": ("the answer broke off: {problem}", "回答中断（{problem}）"),
    "model_silent": ("{problem}", "模型没有给出回答（{problem}）"),
    "model_refused": ("it does not take the request: {problem}", "服务不接受这个请求（{problem}）"),
    "model_none": ("no model answers: {problem}", "没有模型可用（{problem}）"),
    "model_key_missing_next": ("{step}", "请设置好密钥：{step}"),
    "model_key_refused_next": ("{step}", "请换用有效的密钥：{step}"),
    "model_credit_next": ("Top the account up, or use another model", "请充值，或换用其他模型"),
    "model_too_long_next": (
        "Begin a new conversation with /new, or use a model with a larger window",
        "请用 /new 开始新的对话，或换用窗口更大的模型",
    ),
    "model_busy_next": ("Try again in a moment", "请稍后再试"),
    "model_slow_next": ("Try again, or use a faster model", "请再试一次，或换用更快的模型"),
    "model_down_next": (
        "Check that it runs and that base_url is its address; homeagent doctor looks again",
        "请确认服务已启动，base_url 写的是它的地址；homeagent doctor 可以再查一次",
    ),
    "model_broken_next": ("Try again", "请再试一次"),
    "model_silent_next": ("{step}", "请再问一次：{step}"),
    "model_refused_next": ("{step}", "请检查模型名和地址：{step}"),
    "model_none_next": (
        "homeagent doctor says how each model stands",
        "运行 homeagent doctor 可以看到每个模型的状况",
    ),
}  # fmt: skip
