"""Finds words and phrases in a text, also where somebody has disguised them."""

from collections.abc import Iterable, Iterator, Sequence, Set
from functools import lru_cache

import regex

from guardrails.lookalikes import CAPITALS
from guardrails.text import folded

_WORD = regex.compile(r"[^\W_]+")
# Written without spaces between words: an entry that begins or ends in such a letter is found within a longer run.
_UNSPACED = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}ー]")
_ANY = "*"

_BETWEEN_LETTERS = regex.compile(r"(?<=\p{L})[013457@$!|]{1,2}(?=\p{L})")
_LEET = str.maketrans("013457@$!|", "oieastasil")
_SPELLED_OUT = regex.compile(r"(?<![^\W_])(?:[^\W_][\W_]{1,2}){2,}[^\W_](?![^\W_])")
_STRETCHED = regex.compile(r"(\p{L})\1{2,}")
# What may be a word, and what its digits, signs and letters are taken for; shorter ones look like too many others.
_WRITTEN = regex.compile(r"[\p{L}\p{M}\p{N}@$!|]{3,}")
_LOOKS = str.maketrans("013457@$!|i", "oleastaslll")


def listed(text: str) -> tuple[str, ...]:
    """The entries of a list that is written in lines of `label: entry, entry`."""
    lines = (line.partition(":")[2] for line in text.strip().splitlines())
    return tuple(entry.strip() for line in lines for entry in line.split(","))


@lru_cache(maxsize=256)
def spaced(text: str) -> str:
    """The words of a text, folded, each with a space on either side, so that a whole word is found as a substring."""
    return "".join(f" {word} " for word in _WORD.findall(folded(text)))


@lru_cache(maxsize=256)
def _words_of(spaced_text: str) -> frozenset[str]:
    return frozenset(spaced_text.split())


class Vocabulary:
    """The words of lists, known by their looks: l for I, digits and signs for letters, also at an end, rn for m."""

    def __init__(self, *lists: Iterable[str]) -> None:
        self._words = frozenset(word for entries in lists for entry in entries for word in spaced(entry).split())
        self._by_looks = {word.translate(_LOOKS): word for word in sorted(self._words) if word.isalpha()}

    def read(self, plain: str) -> str:
        """A folded text with each word that looks like one of these (paypai, paypa1, arnazon) written as that is."""
        meant = {written: word for written in set(_WRITTEN.findall(plain)) if (word := self._meant(written))}
        return _WRITTEN.sub(lambda found: meant.get(found.group(), found.group()), plain) if meant else plain

    def _meant(self, written: str) -> str | None:
        if written in self._words:
            return None
        looks = written.translate(_LOOKS)
        return self._by_looks.get(looks) or self._by_looks.get(looks.replace("rn", "m").replace("vv", "w"))


_NOTHING_LISTED = Vocabulary()


@lru_cache(maxsize=256)
def readings(text: str, known: Vocabulary = _NOTHING_LISTED) -> tuple[str, ...]:
    """How a text may be read, as `spaced` writes it: as it stands; then without digits or signs that stand for letters
    (p0rn), letters spelled one by one (p.o.r.n) and stretched ones (pooorn), or with the words that are known by looks.
    """
    plain = folded(text)
    return tuple(dict.fromkeys(map(spaced, (plain, *_undisguised(plain, known), *_by_capitals(text, known)))))


def _undisguised(plain: str, known: Vocabulary) -> Iterator[str]:
    whole = _SPELLED_OUT.sub(lambda found: _put_together(found.group()), plain)
    lettered = _BETWEEN_LETTERS.sub(lambda found: found.group().translate(_LEET), whole)
    yield from (_STRETCHED.sub(again, lettered) for again in (r"\1", r"\1\1"))
    yield known.read(whole)


def _by_capitals(text: str, known: Vocabulary) -> Iterator[str]:
    shown = text.translate(CAPITALS)
    if shown != text:
        plain = folded(shown)
        yield from (plain, *_undisguised(plain, known))


def closed_up(words: str, names: Set[str]) -> str:
    """A spaced text in which each of these names that is written in two or three words (pay pal) is one word."""
    whole = words.replace(" ", "")
    if not any(name in whole for name in names):
        return words
    written, found, at = words.split(), list[str](), 0
    while at < len(written):
        many = next((many for many in (3, 2) if "".join(written[at : at + many]) in names), 1)
        found.append("".join(written[at : at + many]))
        at += many
    return "".join(f" {word} " for word in found)


def has_word(text: str) -> bool:
    """Whether there is a letter or a digit in it that a list could be searched by."""
    return bool(spaced(text))


# How many longer ones there are, an entry, and what is sought for it.
_Ranked = tuple[int, str, str]


class Terms:
    """A list of words and phrases, found whole; with `*` at its end or beginning, also within a longer word."""

    def __init__(self, entries: Iterable[str]) -> None:
        self._entries = {entry: _sought(entry) for entry in sorted(entries, key=len, reverse=True)}
        self._beginnings = tuple(sought.lstrip() for sought in self._entries.values())
        self._endings = tuple(sought.rstrip() for sought in self._entries.values())
        self._loose = list[_Ranked]()
        self._by_first_word: dict[str, list[_Ranked]] = {}
        for rank, (entry, sought) in enumerate(self._entries.items()):
            word = _begun_with(sought)
            group = self._loose if word is None else self._by_first_word.setdefault(word, [])
            group.append((rank, entry, sought))
        self._first_words = frozenset(self._by_first_word)

    def may_stand_in(self, words: str) -> bool:
        """Whether an entry may be found in a spaced text: in most none is, which this tells soon."""
        return not self._first_words.isdisjoint(_words_of(words)) or any(
            sought in words for _, _, sought in self._loose
        )

    def find(self, words: str) -> str | None:
        """The longest entry that stands in a text which was `spaced`."""
        return next((entry for _, entry, sought in self._possible(words) if sought in words), None)

    def without(self, words: str) -> str:
        """The spaced text without what is found in it."""
        for _, _, sought in self._possible(words):
            words = words.replace(sought, "  ")
        return words

    def places(self, words: str) -> Iterator[int]:
        """How many words stand before each place at which an entry is found."""
        for _, _, sought in self._possible(words):
            counted, before, at = 0, 0, words.find(sought)
            while at >= 0:
                before += words.count("  ", counted, at + 1)
                yield before
                counted = at + 1
                at = words.find(sought, counted)

    def near(self, others: "Terms", words: str, distance: int) -> bool:
        """Whether one of these stands within so many words of one of those."""
        if not (self.may_stand_in(words) and others.may_stand_in(words)):
            return False
        theirs = set(others.places(words))
        return any(mine + step in theirs for mine in self.places(words) for step in range(-distance, distance + 1))

    def after(self, words: str) -> str | None:
        """What follows the longest entry that a spaced text begins with; None when it begins with none."""
        said = words.lstrip()
        # Most texts begin with none, which one look at all of them tells.
        if not said.startswith(self._beginnings):
            return None
        return next(said[len(sought) :] for sought in self._beginnings if said.startswith(sought))

    def before(self, words: str) -> str | None:
        """What goes before the longest entry that a spaced text ends with; None when it ends with none."""
        said = words.rstrip()
        if not said.endswith(self._endings):
            return None
        return next(said[: -len(sought)] for sought in self._endings if said.endswith(sought))

    def openings(self, words: str) -> Iterator[str]:
        """A spaced text, then what is left of it as each entry that it begins with is taken off."""
        left: str | None = words
        while left is not None:
            yield left
            left = self.after(left)

    def endings(self, words: str) -> Iterator[str]:
        """A spaced text, then what is left of it as each entry that it ends with is taken off."""
        left: str | None = words
        while left is not None:
            yield left
            left = self.before(left)

    def _possible(self, words: str) -> Sequence[_Ranked]:
        """Whatever may be found in a spaced text, the longest first."""
        if not self.may_stand_in(words):
            return ()
        begun = self._first_words & _words_of(words)
        return sorted((*self._loose, *(ranked for word in begun for ranked in self._by_first_word[word])))


def _put_together(spelled: str) -> str:
    """The word that is spelled, and without its first and its last letter, which may be words of their own (a, I)."""
    word = "".join(_WORD.findall(spelled))
    return " ".join((word, word[1:], word[:-1], word[1:-1]))


def _begun_with(sought: str) -> str | None:
    """The whole word that what is sought begins with; None where it may begin or end within a longer one."""
    first, end, _ = sought.lstrip().partition(" ")
    return first if end and sought.startswith(" ") else None


def _sought(entry: str) -> str:
    words = spaced(entry.strip(_ANY))
    left, right = entry.startswith(_ANY), entry.endswith(_ANY)
    if words and (left or _UNSPACED.match(words.strip()[0])):
        words = words.lstrip()
    if words and (right or _UNSPACED.match(words.strip()[-1])):
        words = words.rstrip()
    return words
