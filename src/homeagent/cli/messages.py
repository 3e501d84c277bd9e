"""Everything the command line says to a person, in English and in Chinese."""

from __future__ import annotations

import re
from typing import Final

from homeagent.cli.messages_chat import CHAT
from homeagent.cli.messages_facts import FACTS
from homeagent.cli.messages_forgetting import FORGETTING
from homeagent.cli.messages_mcp import MCP
from homeagent.cli.messages_plugin import PLUGIN
from homeagent.cli.messages_policy import POLICY
from homeagent.cli.messages_server import SERVER

__all__ = ["MESSAGES", "message", "usage_problem"]

MESSAGES: Final[dict[str, tuple[str, str]]] = {
    **CHAT,
    **FACTS,
    **FORGETTING,
    **MCP,
    **PLUGIN,
    **POLICY,
    **SERVER,
    # -- help: frame
    "help_homeagent": ("A personal agent for a household, with a long-term memory.", "家里的私人助手，有长期记忆。"),
    "usage": ("usage: ", "用法："),
    "commands": ("commands", "命令"),
    "arguments": ("arguments", "参数"),
    "options": ("options", "选项"),
    "common": ("options of every command", "所有命令都有的选项"),
    "option_help": ("show this help and leave", "显示这份说明"),
    "option_version": ("show the version and leave", "显示版本"),
    "option_home": ("the home folder (else $HOMEAGENT_HOME)", "主目录（缺省为 $HOMEAGENT_HOME）"),
    "option_json": ("print one JSON object on standard output", "在标准输出上只打印一个 JSON 对象"),
    "option_lang": ("language of messages: en or zh", "提示语言：en 或 zh"),
    # -- help: commands
    "help_ask": ("say something, or ask something", "说一句话，或者问一个问题"),
    "help_memory": ("look into the memory and look after it", "查看和维护记忆"),
    "help_import": (
        "keep every turn of a file (JSON lines, or an export of ChatGPT or Claude), or nothing of it",
        "导入 JSON 行文件或 ChatGPT、Claude 的导出：要么全部，要么一条不进",
    ),
    "help_export": ("write every turn to a file of JSON lines", "把全部对话导出为 JSON 行文件"),
    "help_search": ("search the memory", "搜索记忆"),
    "help_show": ("show a turn as it was said", "显示一次对话的原文"),
    "help_explain": ("tell why a turn is, or is not, in computed memory", "说明一次对话为何在（或不在）计算记忆里"),
    "help_stats": ("count what is kept", "统计记忆里的内容"),
    "help_archive": ("put finished turns away in documents", "把已结束的对话归档成文档"),
    "help_rebuild": ("derive everything computed again from the log", "从日志重新计算全部派生数据"),
    "help_backup": ("copy the log, from which all else is computed", "备份日志，其余一切都由它算出"),
    "help_check": ("run cases that say what the memory must do", "运行用例，检验记忆该做的事"),
    "help_doctor": ("find out what is wrong with this installation", "检查安装有没有问题"),
    "help_config": ("show and change the settings", "查看和修改设置"),
    "help_config_show": ("show every setting in force", "显示当前生效的设置"),
    "help_config_set": ("change a setting", "修改一项设置"),
    "help_config_unset": ("take a setting out, so that the default holds", "删除一项设置，恢复缺省值"),
    "help_config_path": ("show where the settings are", "显示设置文件的位置"),
    # -- help: arguments
    "argument_text": ("what you say or ask", "要说的话或要问的问题"),
    "argument_query": ("what to look for", "要找的内容"),
    "argument_turn": ("id or external id of a turn", "对话的编号或外部编号"),
    "argument_import": (
        "file of JSON lines, also .gz; a zip or conversations.json of ChatGPT or Claude; - for standard input",
        "JSON 行文件（可以是 .gz），或 ChatGPT、Claude 导出的 zip 或 conversations.json；- 表示标准输入",
    ),
    "argument_export": ("file to write, also .gz; - for standard output", "要写的文件，也可以是 .gz；- 表示标准输出"),
    "argument_backup": ("file to write, which must not exist", "要写的文件，不能已存在"),
    "argument_cases": (
        "case files, or folders of them",
        "用例文件或其所在的文件夹",
    ),
    "argument_key": (
        "e.g. memory.recall_limit, models.NAME, policies.tools.NAME",
        "例如 memory.recall_limit、models.名称、policies.tools.工具名",
    ),
    "argument_value": (
        "e.g. 8, or no_memory, or \"base_url='http://127.0.0.1:11434/v1', model='qwen3:8b'\"",
        "例如 8、no_memory、\"base_url='http://127.0.0.1:11434/v1', model='qwen3:8b'\"",
    ),
    "option_chat": ("the chat it is said in", "所在的聊天"),
    "option_channel": ("the channel of the chat", "聊天所在的渠道"),
    "option_person": ("who says it", "说话的人"),
    "option_source": ("source of the turns", "对话的来源名"),
    "option_as": ("only what this person may see", "只看此人能看到的"),
    "option_at": ("moment of asking, e.g. 2026-05-03T09:30", "提问的时刻，例如 2026-05-03T09:30"),
    "option_limit": ("most hits to show", "最多显示几条"),
    "option_wait": ("first make all the vectors that are pending", "先算完所有待算的向量"),
    "option_verify": ("only compare with what is there", "只与现有的比较，不替换"),
    "option_kind": ("only cases of this kind (repeatable)", "只运行这一类用例（可重复）"),
    # -- errors
    "error": ("Error: {where}: {problem}.", "出错：{where}：{problem}。"),
    "next_step": ("What to do: {next_step}.", "怎么办：{next_step}。"),
    "usage_where": ("command line", "命令行"),
    "usage_next": ("See '{command} --help'", "请看 '{command} --help'"),
    "bad_time": ("{text} is no time", "{text} 不是时间"),
    "bad_time_next": ("Write e.g. 2026-05-03T09:30", "请写成 2026-05-03T09:30 这样"),
    "too_few": ("expected a number of at least 1", "应是不小于 1 的数"),
    "empty_text": ("there is no text", "没有内容"),
    "json_and_stdout": ("--json and '-' both want standard output", "--json 和 '-' 都要用标准输出"),
    "json_and_stdout_next": ("Name a file to export to", "请给出导出文件名"),
    "interrupted": (
        "Stopped. What was kept is on the disk; the rest is made up for the next time.",
        "已停止。已保存的内容都在磁盘上，没做完的下次接着做。",
    ),
    "os_error_next": ("Free some space or mend the permissions, and try again", "请腾出空间或修正权限后再试"),
    # -- progress
    "step_check": ("checking the file", "检查文件"),
    "step_keep": ("keeping turns", "保存对话"),
    "step_text": ("full text", "全文索引"),
    "step_vectors": ("vectors", "计算向量"),
    "step_cases": ("cases", "运行用例"),
    "step_model_ready": ("the offline model is ready", "离线模型已就绪"),
    "step_model": ("preparing the offline model, once", "首次准备离线模型"),
    # -- first start
    "empty_home": (
        (
            'This home is empty. Tell it something:  homeagent ask "My cat is called Bean."\n'
            "or bring in what you have:              homeagent memory import FILE\n"
            'then ask:                               homeagent ask "What is the cat called?"'
        ),
        (
            '这里还没有任何记忆。先告诉它一件事：  homeagent ask "我的猫叫豆豆。"\n'
            "或者导入已有的对话：                  homeagent memory import 文件\n"
            '然后就可以问：                        homeagent ask "猫叫什么名字？"'
        ),
    ),
    # -- answers
    "kept": ("Noted.", "记下了。"),
    "knows_nothing": ("I know nothing about that.", "这件事我没有记录。"),
    "remembers": ("This is what I remember:", "我记得这些："),
    "no_hits": ("Nothing is remembered that fits.", "没有找到相符的记忆。"),
    "doubtful": ("None of this seems to answer it.", "以下内容可能都不是答案。"),
    "pending": (
        "Still waiting for vectors, so found by words only: {count} turns. --wait makes them first.",
        "还有 {count} 次对话等待计算向量，目前只能按字词找到；加 --wait 可先算完。",
    ),
    "unknown_time": ("time unknown", "时间未知"),
    "older": ("older value", "旧的说法"),
    "imported": ("New turns: {kept}; there already: {known}.", "新存 {kept} 次对话，另有 {known} 次早已存在。"),
    "import_changed": (
        "Of those, {count} are different in this export; what was kept stays as it is.",
        "其中 {count} 次在这份导出里有所不同，已保存的内容不变。",
    ),
    "import_skipped": (
        "Left out, its form is not known: {where} ({problem}).",
        "格式不认识，已略过：{where}（{problem}）。",
    ),
    "exported": ("Turns written to {file}: {count}.", "已把 {count} 次对话写入 {file}。"),
    "export_lacks": (
        "Not in it: policies, who is who, what was forgotten or archived. 'memory backup' copies everything.",
        "其中不含：策略、人物对应、遗忘与归档记录。完整备份请用 memory backup。",
    ),
    "archived": ("New documents: {count}.", "新建 {count} 份文档。"),
    "archived_one": ("{document}: {turns} turns", "{document}：{turns} 次对话"),
    "backed_up": ("{bytes} bytes copied to {file}.", "已复制 {bytes} 字节到 {file}。"),
    "rebuilt": ("Everything computed was made again.", "派生数据已全部重新计算。"),
    "equal": ("A rebuild gives the same, row by row.", "重建结果逐行相同。"),
    "unequal": ("A rebuild gives something else:", "重建结果不同："),
    "rows": ("{table}: {count} rows", "{table}：{count} 行"),
    "said_at": ("turn {turn}, {at}, {sender} in {channel}/{chat}", "对话 {turn}，{at}，{sender} 在 {channel}/{chat}"),
    "attachment": ("attachment {name} ({media_type}, {bytes} bytes)", "附件 {name}（{media_type}，{bytes} 字节）"),
    "explained": (
        "{position} {speaker}: {decision}, {computed} of {raw} characters ({reason})",
        "{position} {speaker}：{decision}，{raw} 字中计算了 {computed} 字（{reason}）",
    ),
    "waiting": ("waiting", "等待中"),
    "decision_whole": ("whole", "全文"),
    "decision_cleaned": ("cleaned", "清洗"),
    "decision_hidden": ("hidden", "隐藏"),
    "decision_quote": ("quote", "引用"),
    "decision_failed": ("failed", "失败"),
    "decision_empty": ("empty", "空"),
    "decision_forgotten": ("forgotten", "已遗忘"),
    "role_user": ("user", "用户"),
    "role_assistant": ("assistant", "助手"),
    "role_tool": ("tool", "工具"),
    "role_system": ("system", "系统"),
    "cases_passed": ("Cases: {passed} passed, {failed} failed.", "{passed} 个用例通过，{failed} 个失败。"),
    "changed": ("{key} is set in {file}.", "{key} 已写入 {file}。"),
    "unset": ("{key} is taken out of {file}.", "已从 {file} 删除 {key}。"),
    # -- doctor
    "doctor_ok": ("ok", "正常"),
    "doctor_warn": ("warn", "注意"),
    "doctor_fail": ("FAIL", "故障"),
    "doctor_python": ("Python {version}", "Python {version}"),
    "doctor_sqlite": ("SQLite {version}, full text {fts}", "SQLite {version}，全文索引 {fts}"),
    "doctor_sqlite_next": (
        "Use a Python whose SQLite is 3.37 or newer with FTS5",
        "请换用带 FTS5、SQLite 3.37 以上的 Python",
    ),
    "doctor_no_home": ("home {path} is not there yet", "主目录 {path} 尚不存在"),
    "doctor_no_home_next": (
        "It is made when you say something: homeagent ask TEXT",
        "说第一句话时会自动建立：homeagent ask 内容",
    ),
    "doctor_home": ("home {path}, mode {mode}", "主目录 {path}，权限 {mode}"),
    "doctor_home_mode_next": ("Others can read it: chmod 700 {path}", "其他人可以读取，请执行：chmod 700 {path}"),
    "doctor_home_write_next": ("It can't be written: mend its owner or mount", "无法写入，请检查属主或挂载方式"),
    "doctor_disk": ("{free} MB free", "剩余空间 {free} MB"),
    "doctor_disk_next": ("Free some space", "请腾出空间"),
    "doctor_config": ("settings in {path}", "设置文件 {path}"),
    "doctor_databases": (
        "log and derived database open, turns kept: {turns}",
        "日志库和派生库都能打开，已存 {turns} 次对话",
    ),
    "doctor_model": ("vectors by {model}", "向量模型 {model}"),
    "doctor_model_none": ("no vectors: words only", "不用向量，只按字词"),
    "doctor_no_models": ("no model: answers come from the memory", "没有模型：回答来自记忆"),
    "doctor_no_models_next": (
        "To add one: homeagent config set models.home \"base_url='http://127.0.0.1:11434/v1', model='qwen3:8b'\"",
        "添加模型：homeagent config set models.home \"base_url='http://127.0.0.1:11434/v1', model='qwen3:8b'\"",
    ),
    "doctor_source": ("model {name}: {model} answers, {key}", "模型 {name}：{model} 可用，{key}"),
    "doctor_source_failed": ("model {name}: {problem}", "模型 {name}：{problem}"),
    "doctor_source_unlisted": (
        "model {name}: reachable, {key}; it lists no models, so {model} is not checked",
        "模型 {name}：可以连接，{key}；它不列出模型，因此没有检查 {model}",
    ),
    "doctor_source_window": (
        "model {name}: its server gives it {window} tokens, the settings say {wanted}",
        "模型 {name}：服务给它 {window} 个 token，设置里写的是 {wanted}",
    ),
    "doctor_source_window_next": (
        "Run: homeagent config set models.{name}.window {window}",
        "请运行：homeagent config set models.{name}.window {window}",
    ),
    "doctor_key_accepted": ("key accepted", "密钥有效"),
    "doctor_key_none": ("without a key", "无需密钥"),
    "doctor_policies": ("every policy names a tool that spoke", "每条策略都对应出现过的工具"),
    "doctor_policies_idle": ("policies that match no tool: {names}", "没有对应工具的策略：{names}"),
    "doctor_policies_next": ("Check the spelling; a name may be a glob", "请检查拼写，名称可以用通配符"),
    "doctor_pending": ("waiting to be derived: {count}", "有 {count} 项等待计算"),
    "doctor_pending_next": (
        "They are made at the next search, all of them with --wait",
        "下次搜索时会继续，加 --wait 可一次算完",
    ),
}  # fmt: skip

_USAGE_ZH: Final = (
    (r"the following arguments are required: (.+)", r"缺少 \1"),
    (r"unrecognized arguments: (.+)", r"无法识别 \1"),
    (r"argument (\S+): invalid choice: (.+?) \(choose from (.+)\)", r"\1 不能是 \2（可选：\3）"),
    (r"argument (\S+): expected (?:one|at least one) argument", r"\1 后面缺少内容"),
    (r"argument (\S+): invalid \w+ value: (.+)", r"\1 的值 \2 不对"),
    (r"one of the arguments (.+) is required", r"请在 \1 中选一个"),
    (r"argument (\S+): not allowed with argument (\S+)", r"\1 不能与 \2 同用"),
)


def message(language: str, key: str, /, **values: object) -> str:
    """Return a message in ``zh`` or, for anything else, in English, with its gaps filled."""
    english, chinese = MESSAGES[key]
    return (chinese if language == "zh" else english).format(**values)


def usage_problem(language: str, problem: str) -> str:
    """Return what argparse found wrong with the command line, in the person's language where that is known."""
    if language == "zh":
        for pattern, chinese in _USAGE_ZH:
            found = re.fullmatch(pattern, problem, re.DOTALL)
            if found:
                return found.expand(chinese)
    return problem
