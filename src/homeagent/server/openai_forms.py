"""The forms of OpenAI's chat completions, as far as the agent takes notice of them; whatever else is sent is let be."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from homeagent.errors import InputError
from homeagent.memory import Attachment
from homeagent.server.chat_index import Exchange
from homeagent.server.forms import ChatName
from homeagent.server.uploads import from_base64, from_data_url

__all__ = [
    "ChatRequest",
    "Choice",
    "Completion",
    "CompletionUsage",
    "HomeAgentPart",
    "Message",
    "Said",
    "Spoken",
    "read_messages",
    "size_of",
]

_LONGEST = 8_000


class _Open(BaseModel):
    """A form that may hold more than is read."""

    model_config = ConfigDict(extra="allow")


class ImageUrl(_Open):
    """Where a picture is: a ``data:`` URL; nothing is fetched."""

    url: str


class InputAudio(_Open):
    """A sound as base64."""

    data: str
    format: str = Field(default="", max_length=40)


class FileData(_Open):
    """A file as a ``data:`` URL."""

    file_data: str = ""
    filename: str = Field(default="", max_length=400)


class Part(_Open):
    """A part of a message: text, a picture, a sound or a file."""

    type: str = Field(max_length=40)
    text: str = ""
    image_url: ImageUrl | None = None
    input_audio: InputAudio | None = None
    file: FileData | None = None


class Message(_Open):
    """One message of the conversation."""

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: str | list[Part] | None = None
    name: str | None = Field(default=None, max_length=400)


class StreamOptions(_Open):
    """What a stream carries besides the answer."""

    include_usage: bool = False


class ChatRequest(_Open):
    """A conversation whose last message is new.

    ``chat`` (or ``metadata.chat``, the header ``X-HomeAgent-Chat``) names the chat; without it the chat is
    known by how the conversation began. ``private`` leaves nothing on the disk, ``no_memory`` is kept and enters no
    computation.
    """

    messages: Annotated[list[Message], Field(min_length=1, max_length=10_000)]
    model: str = Field(default="homeagent", max_length=400)
    stream: bool = False
    stream_options: StreamOptions | None = None
    n: Literal[1] | None = None
    user: str | None = Field(default=None, max_length=400)
    metadata: dict[str, str] | None = None
    chat: ChatName | None = None
    private: bool = False
    no_memory: bool = False


class Spoken(BaseModel):
    """The answer."""

    role: Literal["assistant"] = "assistant"
    content: str


class Choice(BaseModel):
    """There is one answer."""

    index: int = 0
    message: Spoken
    finish_reason: Literal["stop", "length"] = "stop"
    logprobs: None = None


class CompletionUsage(BaseModel):
    """Tokens as the model's server counted them; estimated where it did not."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


class HomeAgentPart(BaseModel):
    """What OpenAI has no place for: the chat and the turn, the tools that ran, what was recalled."""

    chat: str
    turn: str
    status: str
    source: str
    tools: list[str]


class Completion(BaseModel):
    """An answer."""

    id: str
    object: Literal["chat.completion"] = "chat.completion"
    created: int
    model: str = "homeagent"
    choices: list[Choice]
    usage: CompletionUsage
    homeagent: HomeAgentPart


class Said(BaseModel):
    """A conversation, read: what is new, what was said before it, and what the client asks of the answer."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    text: str
    attachments: list[Attachment]
    history: list[Exchange]
    guidance: str


def size_of(messages: list[Message]) -> int:
    """Return about how many characters there are to read in a conversation, files among them."""
    return sum(len(message.content) if isinstance(message.content, str) else _size(message) for message in messages)


def _size(message: Message) -> int:
    size = 0
    for part in message.content or ():
        if isinstance(part, Part):
            size += len(part.text)
            size += len(part.image_url.url) if part.image_url is not None else 0
            size += len(part.input_audio.data) if part.input_audio is not None else 0
            size += len(part.file.file_data) if part.file is not None else 0
    return size


def read_messages(messages: list[Message]) -> Said:
    """Return a conversation, read. Raises `InputError` when its last message is not a person's."""
    guidance = "\n\n".join(_text(each) for each in messages if each.role in ("system", "developer"))
    spoken = [each for each in messages if each.role in ("user", "assistant")]
    if not spoken or spoken[-1].role != "user" or messages[-1].role not in ("user", "system", "developer"):
        raise InputError("messages", "do not end with one of role 'user'", "Put what is said now last")
    text, attachments = _text(spoken[-1]), _attachments(spoken[-1])
    if not text.strip() and not attachments:
        raise InputError("messages", "end with an empty one", "Say something")
    return Said(text=text, attachments=attachments, history=_history(spoken[:-1]), guidance=guidance.strip()[:_LONGEST])


def _history(spoken: list[Message]) -> list[Exchange]:
    found: list[Exchange] = []
    for message in spoken:
        text = _text(message)
        if message.role == "user":
            found.append(Exchange(text, ""))
        elif not text:
            continue  # a call of a tool that the client ran
        elif found and not found[-1].reply:
            found[-1] = Exchange(found[-1].said, text)
        elif found:
            found[-1] = Exchange(found[-1].said, f"{found[-1].reply}\n\n{text}")
        else:
            found.append(Exchange("", text))
    return found


def _text(message: Message) -> str:
    if message.content is None or isinstance(message.content, str):
        return message.content or ""
    return "\n".join(part.text for part in message.content if part.text)


def _attachments(message: Message) -> list[Attachment]:
    if not isinstance(message.content, list):
        return []
    found: list[Attachment] = []
    for number, part in enumerate(message.content):
        match part:
            case Part(type="text"):
                continue
            case Part(image_url=ImageUrl(url=url)):
                found.append(from_data_url(url, f"picture {number}"))
            case Part(input_audio=InputAudio(data=data, format=form)):
                found.append(from_base64(data, f"sound {number}.{form}" if form else f"sound {number}"))
            case Part(file=FileData(file_data=data, filename=name)) if data:
                found.append(from_data_url(data, name))
            case _:
                step = "Send text, image_url, input_audio or file with its bytes"
                raise InputError(f"messages: part {number}", f"of type {part.type!r} can't be read", step)
    return found
