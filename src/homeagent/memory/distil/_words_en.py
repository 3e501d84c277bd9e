"""Words and turns of phrase that `english` goes by, as patterns."""

from __future__ import annotations

import re
from typing import Final

from homeagent.memory.distil.relations import KIN_EN

__all__ = [
    "AFTER",
    "APPOSITION",
    "ARTICLE",
    "BAD_VALUE",
    "BARE_KIN",
    "BASE",
    "BREAK",
    "CALLED",
    "CLOCKED",
    "ENTITIES",
    "HE",
    "IDENTIFIER",
    "IS_KIN",
    "KIN",
    "KIN_IS",
    "KIN_OF",
    "LEADING",
    "ME",
    "MY_KIN",
    "NAME",
    "NAMED",
    "NO_KIND",
    "NO_NAME",
    "NO_SUBJECT",
    "OWNED",
    "PLAN",
    "PLAN_ING",
    "PLAN_NOUN",
    "PROFESSION",
    "TIMES",
    "TRAILING",
    "VALUE_NOUN",
    "VERB",
    "WHEN",
]

VERB = (
    r"(?:works?|lives?|plays?|has|have|is|are|was|likes?|loves?|hates?|drinks?|eats?|speaks?|studies|study|am|owns?|uses?|prefers?"
    r"|enjoys?|goes|moved|switched|don't|doesn't|can't)"
)
BREAK = re.compile(
    rf"[,;]\s+(?:and |but |so |or )?|\s*-+\s+|\s*[()]\s*|\s+(?:but|so|because|while|although|though|since|which|except|then)\s+"
    rf"|\s+and\s+(?=(?:I|he|she|we|they|it|my|his|her|our|their|the|now|also)\b|{VERB}\b)",
    re.IGNORECASE,
)
LEADING = re.compile(
    r"^(?:\s|and |but |so |also,? |oh,? |well,? |hey,? |hi,? |hello,? |ok(?:ay)?,? |yes,? |yeah,? |btw,? |by the way,? |actually,? |just so you know,? "
    r"|fyi:?,? |note:? |remember(?: that)? |please remember(?: that)? |note that |for the record,? |anyway,? |i mean,? |i meant,? "
    r"|you know,? |as i said,? |in fact,? |now,? |today,? |yesterday,? |last (?:week|month|year|night),? |this (?:morning|week|year),? )+",
    re.IGNORECASE,
)
TRAILING = re.compile(r"[\s.,!?:\"]+$")
APPOSITION = re.compile(
    rf"\b((?:my|our|his|her) (?:[a-z]+ )?(?:{'|'.join(map(re.escape, KIN_EN))})), ([A-Z][\w'-]+(?: [A-Z][\w'-]+)?), ",
    re.IGNORECASE,
)
KIN = "|".join(sorted(map(re.escape, KIN_EN), key=len, reverse=True))
NAME = r"(?:(?:Mr|Mrs|Ms|Miss|Dr|Prof|Aunt|Uncle|Sir)\.? )?[A-Z\u00c0-\u00de][\w\u00c0-\u024f-]*(?: (?:de |van |von |of )?[A-Z\u00c0-\u00de][\w\u00c0-\u024f-]*){0,3}"
MY_KIN = re.compile(
    rf"(?P<my>[Mm]y|[Oo]ur)(?: own| dear| late| new| old| best| good| other| older| elder| younger| big| little| twin| oldest| eldest"
    rf"| youngest)*(?: [a-z]+)?? (?P<kin>{KIN})(?:,? +(?P<name>{NAME}))?"
)
KIN_OF = re.compile(rf"(?P<who>{NAME})'s? (?:[a-z]+ )??(?P<kin>{KIN})(?:,? (?P<name>{NAME}))?")
OWNED = re.compile(r"(?:[Mm]y|[Oo]ur) (?P<what>.+)")
CALLED = re.compile(rf"([a-z]+(?: [a-z]+)?) ({NAME})")
BARE_KIN = re.compile(
    rf"(?:(?!Baby|Kid|Nan|Client|Coach|Doctor|Cleaner)(?:{'|'.join(each.capitalize() for each in KIN_EN)}))"
)
ARTICLE = re.compile(r"^(?:the|a|an|this|that|our|your|some|all the) ", re.IGNORECASE)
NAMED = re.compile(NAME)
HE = re.compile(r"(?:he|she|him|her|his)", re.IGNORECASE)
ME = re.compile(r"(?:i|we|me|my|our|us|myself)", re.IGNORECASE)
DAYS = r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?"
MONTHS = r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sep(?:t(?:ember)?)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)"
CLOCK = (
    r"(?:\d{1,2}(?::\d\d)?\s?(?:am|pm|o'clock)|\d{1,2}:\d\d|noon|midnight|half past \w+|quarter (?:past|to) \w+"
    r"|(?<=at )(?:\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve))"
)
WHEN = re.compile(
    rf"\b(?:today|tonight|tomorrow|yesterday|this (?:morning|afternoon|evening|week|weekend|month)|next (?:week|month|year|{DAYS}|weekend)"
    rf"|(?:every |last |this |on )?{DAYS}(?: (?:morning|afternoon|evening|night))?|(?:the )?\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {MONTHS}(?: \d{{4}})?"
    rf"|{MONTHS} \d{{1,2}}(?:st|nd|rd|th)?(?:,? \d{{4}})?|in {MONTHS}|the \d{{1,2}}(?:st|nd|rd|th)|\d{{4}}-\d\d-\d\d|{CLOCK})(?!\w)",
    re.IGNORECASE,
)
CLOCKED = re.compile(rf"at {CLOCK}\b", re.IGNORECASE)
TIMES = re.compile(rf"(?:(?:on|at|in|by|from|until|for)\s+)?{WHEN.pattern}", re.IGNORECASE)
AFTER = re.compile(
    r"\s+(?:named|called|which|who|that|because|since|when|if|so that|but|although|though|while|until|after|before|as well|every (?:day|morning|night|week|other)"
    r"|last (?:week|month|year|spring|summer|autumn|winter|night)|this (?:week|month|year|morning)|these days|right now|at the moment"
    r"|in the (?:morning|evening|afternoon)|with (?:my|his|her|our)|on \w+days|in \d{4}|for (?:\d+|a few|two|three) years|next (?:week|month|year"
    r"|spring|summer|autumn|winter)|and (?:it|that|we|they|he|she|i)\b|to get (?:to|there)|please|again|instead|nowadays|(?:now|too|already|currently)(?=$)|\w+ days a week)\b.*$",
    re.IGNORECASE,
)
BAD_VALUE = re.compile(
    r"^(?:his|her|their|its|your) .*$|^(?:it|that|this|them|him|her|you|me|us|so|not|there|here|what|how|why|when|where|who|going|too|very|really|more|less|being|to|of|fine|ok|okay"
    r"|good|great|bad|nice|sure|sorry|right|wrong|true|one|things?|home|work|school|bed|time|touch|love|trouble|front|charge|general|case|fact|danger"
    r"|luck|day|night|moment|holiday|vacation|a hurry|the way|my way|the mood|progress|need)\b(?![ -]\w+ ?\w*[A-Z])$|\x1f|^(?:it|that|what|how|going|being|not|so|very|too) |\?$",
    re.IGNORECASE,
)
PROFESSION = re.compile(
    r"\b\w*(?:nurse|doctor|teacher|engineer|lawyer|chef|cook|baker|pilot|driver|welder|plumber|carpenter|builder|farmer|gardener|painter|writer|editor"
    r"|designer|developer|programmer|manager|director|accountant|assistant|secretary|clerk|cashier|waiter|waitress|barista|librarian|scientist|researcher"
    r"|professor|lecturer|student|planner|analyst|consultant|architect|artist|musician|dancer|actor|actress|singer|photographer|journalist|reporter|vet"
    r"|veterinarian|dentist|pharmacist|therapist|psychologist|physiotherapist|paramedic|midwife|surgeon|soldier|officer|firefighter|detective|judge|priest"
    r"|pastor|electrician|mechanic|technician|tailor|butcher|fisherman|sailor|translator|interpreter|guide|coach|trainer|postman|courier|cleaner|janitor"
    r"|supervisor|foreman|salesman|saleswoman|realtor|broker|banker|trader|economist|historian|biologist|chemist|physicist|mathematician|geologist"
    r"|archaeologist|curator|apprentice|intern|trainee|receptionist|hairdresser|barber|nanny|childminder|carer|caretaker|worker|entrepreneur|freelancer"
    r"|principal|headmaster|headteacher|tutor|surveyor|inspector|operator|optician|optometrist|dietitian|nutritionist|florist|jeweller|potter|joiner|roofer"
    r"|civil servant|social worker|retiree)s?$",
    re.IGNORECASE,
)
IDENTIFIER = re.compile(r"\d|\w_\w|@|[a-z][A-Z]")
VALUE_NOUN = re.compile(
    r"\b(?:password|passcode|code|pin|hint|port|version|ip|address|ssid|username|login|account|colou?r|model|brand|type|size|blood type|number|id|key"
    r"|combination|url|domain|format|language|timezone|name|channel|frequency|temperature|wifi|wi-fi)$",
    re.IGNORECASE,
)
NO_KIND = re.compile(
    r"\b(?:ways?|ideas?|things?|times?|days?|places?|one|bit|lot|fan|reminder|sign|part|pleasure|blast|plan|deal|shame|relief|joy|treat|mess|start|choice"
    r"|feeling|experience|opportunity|chance|moment|reason|problem|question|challenge|journey|process|step|success|hit|game changer)$"
)
PLAN = re.compile(
    r"(?P<s>I|we)(?:(?: have| need| am going| are going|'m going|'re going| plan| ought|'ve got| have got) to| must|'ll| will| should)(?: also)? (?P<o>.{3,60}?)",
    re.IGNORECASE,
)
PLAN_ING = re.compile(r"(?P<s>I|we)(?:'m| am|'re| are) (?P<o>(?!going to)\w+ing .{2,50}?)", re.IGNORECASE)
PLAN_NOUN = re.compile(
    r"(?P<s>I|we)(?: have|'ve got| have got) (?:an? |the |my )?(?P<o>(?:\w+ ){0,3}?(?:appointment|meeting|interview|class|lesson|exam|test|call|checkup|check-up|date"
    r"|reservation|booking|flight|train|viewing|rehearsal|game|match|concert)\b.{0,40}?)",
    re.IGNORECASE,
)
IS_KIN = re.compile(
    rf"(?P<p>.{{1,40}}?)(?: is|'s| was) (?P<of>my|our|{NAME}'s)(?: [a-z]+){{0,2}}? (?P<kin>{KIN})", re.IGNORECASE
)
KIN_IS = re.compile(
    rf"(?P<s>(?:[Mm]y|[Oo]ur|{NAME}'s) (?:[a-z]+ )?(?:{KIN}))(?: is|'s)(?: called| named)? (?P<o>{NAME})"
)
NO_SUBJECT = frozenset(
    [
        "it",
        "this",
        "that",
        "there",
        "here",
        "what",
        "who",
        "which",
        "everything",
        "nothing",
        "something",
        "anything",
        "one",
        "he",
        "she",
        "they",
        "these",
        "those",
        "yes",
        "no",
    ]
)
NO_NAME = frozenset(
    [
        "looks",
        "sounds",
        "seems",
        "feels",
        "hope",
        "hopefully",
        "glad",
        "thanks",
        "wow",
        "great",
        "love",
        "loving",
        "having",
        "being",
        "doing",
        "going",
        "getting",
        "sorry",
        "congrats",
        "yay",
        "yeah",
        "yep",
        "cool",
        "awesome",
        "nice",
        "good",
        "sure",
        "maybe",
        "so",
        "very",
        "both",
        "most",
        "some",
        "many",
        "all",
        "none",
        "nobody",
        "music",
        "life",
        "family",
        "friends",
        "kids",
        "people",
        "dance",
        "art",
        "nature",
        "painting",
    ]
)
BASE = frozenset(
    [
        "like",
        "love",
        "enjoy",
        "hate",
        "drink",
        "eat",
        "use",
        "play",
        "speak",
        "study",
        "work",
        "live",
        "have",
        "prefer",
        "adore",
        "own",
        "come",
        "hail",
        "dislike",
        "learn",
        "go",
        "need",
        "want",
    ]
)
ENTITIES: Final = frozenset(("lives_in", "works_at", "from", "studies_at", "located_at", "has", "uses", "is_a"))
