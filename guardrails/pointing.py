"""Tells an ask that points at another post: by a small grammar, since what it may say is much and says little."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import regex

from guardrails.around import parent_of, quoted_by
from guardrails.documents import AtUri
from guardrails.phrases import CAN_YOU, PLEASE, POLITE
from guardrails.words import Terms, listed, spaced

# Whom it is said to, beside us.
OTHERS = regex.compile(r"(?<!\S)@[\w.-]++")
_FINGER = regex.compile(r"[\u2191\u2b06\u2b07\u261d\u261f\U0001f446-\U0001f449\U0001faf5^]")
COLON = regex.compile(r":|\s[\u2013\u2014-]+\s|[\u2013\u2014]")
# What is longer says something itself.
_LONGEST = 100
_TOKEN = regex.compile(r"[\[\]]|[A-Z]+")


class _Grammar:
    """What may be said in one language: each line is a row of parts, of which those in brackets may be missing.

    Each part is one of its words; in Japanese there are no blanks between them.
    """

    def __init__(self, rows: str, words: str, glue: str = " ") -> None:
        parts: dict[str, set[str]] = {}
        for line in words.strip().splitlines():
            name, _, entries = line.strip().partition(": ")
            parts.setdefault(name, set()).update(glue.join(spaced(entry).split()) for entry in entries.split(", "))
        told = {"[": "(?:", "]": ")?"} | {name: f"(?:{'|'.join(sorted(each))}){glue}" for name, each in parts.items()}
        whole = ("".join(told[each] for each in _TOKEN.findall(row)) for row in rows.strip().splitlines())
        self._glue, self._rows = glue, regex.compile("|".join(whole))
        known = (entry for each in parts.values() for entry in each)
        self._known = frozenset(word for entry in known for word in (entry.split() if glue else entry))

    def has(self, words: Sequence[str]) -> bool:
        """Whether it can be said; most has a word in it that cannot, which is told soon."""
        said = words if self._glue else "".join(words)
        return (
            self._known.issuperset(said)
            and self._rows.fullmatch("".join(f"{word}{self._glue}" for word in said)) is not None
        )


_GRAMMARS = (
    _Grammar(
        """
        [WHO] [PLEASE] MAKE [ME] THIS [UP]
        [WHO] [PLEASE] MAKE [ME] THIS [INTO] [A] [SORT] KIND
        [WHO] [PLEASE] MAKE [ME] THIS REAL
        [WHO] [PLEASE] MAKE [ME] [A] [SORT] KIND OF THIS
        [WHO] [PLEASE] MAKE [ME] [[A] APP]
        [WANT] THIS [INTO [A] [SORT] KIND]
        [WANT] THIS A [SORT] KIND
        [WANT] [A] [SORT] KIND OF THIS [NICE]
        COULD THIS BE [A] [SORT] KIND
        [INTO] [A] BARE
        THIS SHOULD [MADE] [INTO] [A] [SORT] KIND
        THIS SHOULD [MADE] REAL
        THIS SHOULD MADE
        IDIOM
        """,
        """
        WHO: someone, somebody, anyone, anybody, someone should, somebody should, someone needs to, somebody needs to
        WHO: someone has to, can someone, can somebody, could someone, could somebody, will someone, would someone
        WHO: who can, who will, you, you should, we should, you need to, you have to, you must, let s, lets, go
        WHO: want you to
        PLEASE: please, pls, plz, just, maybe, also, kindly, now
        MAKE: make, build, create, code, do, design, write, develop, program, implement, generate, turn, convert
        MAKE: transform, port, adapt, prototype, ship, vibe code, put together, whip up, cook up, recreate, clone, app
        ME: me, us
        UP: up
        COULD: could, can, should, would
        BE: be, become
        NICE: would be great, would be cool, would be nice, would be awesome, would be amazing, would be fun
        NICE: would be good
        THIS: this, that, it, these, those, them, the above, above, this one, that one, this app, that app, this game
        THIS: that game, this idea, that idea, this thing, that thing, this post, that post, this thread, this concept
        THIS: this site, this website, this page, this tool, this quiz, this sketch, this drawing, this picture
        THIS: this photo, this image, this list, this text, this chart, that site, that website, that page, that tool
        THIS: that quiz, the app, the game, the idea, the post, their idea, his idea, her idea, what they describe
        THIS: what they said, what she said, what he said
        INTO: into, as, to, to be, become, in to, but as, like
        A: a, an, one, some, the, into a, into an
        SORT: web, mobile, small, little, tiny, simple, quick, cool, fun, real, actual, proper, playable, interactive
        SORT: browser, mini, single page, one page, working, nice, cute, silly, great, good, lovely, perfect, neat
        SORT: awesome, phone, online, html, little web, simple web, small web
        KIND: app, apps, application, web app, webapp, game, games, site, website, web site, page, webpage, web page
        KIND: tool, toy, quiz, widget, thing, prototype, demo, program, something, one
        APP: app, application, web app, webapp, game, site, website, web site, page, webpage, web page, program
        APP: something, thing, one
        BARE: app, application, web app, webapp
        REAL: real, a reality, reality, happen, exist, so, possible, come true
        OF: of, out of, from, for, with, like, based on, about, around, using, inspired by, on, that does, which does
        WANT: i want, i need, i d like, i would like, i d love, i would love, i wish i had, i wish we had
        WANT: i wish there was, we want, we need, need, want, love to see, i d love to see, would love to see
        WANT: i would love to see, there should be, there needs to be, there has to be, is there, give me, give us
        WANT: gimme, get, get me, have, show me, how about, what about, any chance of
        SHOULD: should be, should, needs to be, needs to, need to be, has to be, has to, must be, must, could be
        SHOULD: ought to be, should become, would make, would be, deserves to be, wants to be, is begging to be
        SHOULD: begs to be, sounds like, is
        MADE: made, built, created, coded, turned, converted
        IDIOM: do your thing, work your magic, go for it, you heard them, you heard her, you heard him
        IDIOM: is this possible, is that possible, is this doable, is that doable, would this be possible
        IDIOM: could this be done, can this be done
        """,
    ),
    _Grammar(
        """
        [WHO] MAKE [ME] [MAL] THIS [MAL] [ALS [A] [SORT] APP]
        [WHO] MAKE [ME] [MAL] FROM [MAL] A [SORT] APP
        [WHO] MAKE [ME] [MAL] A [SORT] APP [FROM]
        [WHO] [ME] THIS [MAL] [ALS [A] [SORT] APP] BUILD
        [WHO] [ME] FROM [MAL] A [SORT] APP [BUILD]
        [WHO] [ME] A [SORT] APP FROM [BUILD] [NICE]
        [WANT] THIS [ALS [A] [SORT] APP] [HAVE]
        [WANT] [A] [SORT] APP FROM [HAVE]
        [ALS] [A] BARE
        THIS SHOULD [ALS] A [SORT] APP [BE]
        """,
        """
        WHO: jemand, kann jemand, könnte jemand, kann das jemand, jemand sollte, man sollte, wer kann, man könnte
        MAKE: mach, mache, bau, baue, erstell, erstelle, bastel, bastle, programmier, programmiere, schreib, entwickle
        MAKE: entwickel, generiere, verwandle, verwandel, setz, setze
        ME: mir, uns
        MAL: mal, doch, bitte, doch mal, bitte mal, auch, jetzt, einfach
        THIS: das, dies, das hier, dieses, es, die idee, diese idee, diese app, dieses spiel, das spiel, das da
        ALS: als, zu, in, zur, zum
        A: eine, ein, ne, einer, einem
        SORT: kleine, kleines, einfache, einfaches, richtige, richtiges, schöne, schönes
        APP: app, anwendung, webapp, web app, website, webseite, seite, spiel, game, tool, quiz
        BARE: app, webapp, web app
        FROM: daraus, davon, dafür, dazu, damit, hieraus, draus, darüber
        BUILD: bauen, machen, erstellen, basteln, programmieren, verwandeln, umsetzen, entwickeln
        WANT: ich will, ich möchte, ich hätte gern, ich hätte gerne, ich brauche, wir brauchen, gibt es, gib mir
        HAVE: haben
        NICE: wäre toll, wäre super, wäre schön, wäre cool, wäre gut
        SHOULD: sollte, könnte, müsste, muss, ist
        BE: sein, werden
        """,
    ),
    _Grammar(
        """
        [WHO] MAKE [ME] THIS [[INTO] [A] [SORT] APP [SORT]]
        [WHO] MAKEIT [[INTO] [A] [SORT] APP [SORT]]
        [WHO] MAKEIT REAL
        [WHO] [MAKE [ME]] [A] [SORT] APP [SORT] OF THIS
        MAKE A BARE
        [WANT] THIS [INTO [A] APP [SORT]]
        WANT A APP [SORT] OF THIS
        [INTO] A BARE
        THIS SHOULD A APP
        """,
        """
        WHO: alguien, que alguien, alguien puede, alguien podría, alguien que
        MAKE: haz, hazme, haznos, construye, constrúyeme, crea, créame, programa, convierte, transforma, desarrolla
        MAKE: diseña, haga, convierta, construya, hacer, hacerme, crear, construir, convertir, transformar
        ME: me, nos
        MAKEIT: hazlo, hazla, constrúyelo, créalo, conviértelo, transfórmalo, hacerlo, convertirlo, transformarlo
        MAKEIT: construirlo, crearlo, prográmalo
        REAL: realidad, posible, real
        THIS: esto, eso, esta idea, esa idea, esta app, este juego, ese juego, lo de arriba
        INTO: en, como, en forma de
        A: una, un
        SORT: pequeña, pequeño, sencilla, sencillo, simple, web, pequeña web
        APP: app, aplicación, webapp, juego, web, página, sitio, herramienta, quiz
        BARE: app, aplicación
        OF: de, con, para, sobre, a partir de, basada en, basado en, como
        WANT: debería haber, tendría que haber, hay, quiero, necesito, me gustaría, quisiera, necesitamos, queremos
        SHOULD: debería ser, podría ser, tendría que ser, tiene que ser
        """,
    ),
    _Grammar(
        """
        [WHO] MAKE [ME] THIS [[INTO] [A] [SORT] APP [SORT]]
        [WHO] MAKE [ME] IT
        [WHO] MAKE [ME] INTO A [SORT] APP [SORT]
        [WHO] INTO MAKE A [SORT] APP [SORT]
        [WHO] IT MAKE [INTO [A] [SORT] APP [SORT]]
        [WHO] [MAKE [ME]] [A] [SORT] APP [SORT] OF THIS
        MAKE A BARE
        [WANT] THIS [INTO [A] APP [SORT]]
        WANT A APP [SORT] OF THIS
        [INTO] A BARE
        THIS SHOULD A APP
        """,
        """
        WHO: quelqu un, quelqu un peut, quelqu un pourrait, que quelqu un
        MAKE: fais, faites, construis, construisez, crée, créez, transforme, transformez, convertis, code, programme
        MAKE: développe, faire, créer, transformer, convertir, construire, coder
        ME: moi, nous
        IT: le, la, les
        THIS: ça, ceci, cela, cette idée, cette app, ce jeu
        INTO: en, comme
        A: une, un, d une
        SORT: petite, petit, simple, web, vraie, vrai
        APP: app, appli, application, jeu, site, site web, page, page web, outil, quiz
        BARE: app, appli, application
        OF: de, avec, pour, sur, à partir de, d après, comme, basée sur, basé sur
        WANT: il faut, il faudrait, il devrait y avoir, je veux, je voudrais, j aimerais, il me faut, il nous faut
        WANT: on veut
        SHOULD: devrait être, pourrait être, ferait, doit être
        """,
    ),
    _Grammar(
        """
        [WHO] MAKE [ME] THIS [[INTO] [A] [SORT] APP [SORT]]
        [WHO] [MAKE [ME]] [A] [SORT] APP [SORT] OF
        MAKE A BARE
        [WANT] THIS [INTO [A] APP]
        WANT A APP OF
        [INTO] A BARE
        THIS SHOULD A APP
        IDIOM
        """,
        """
        WHO: alguém, que alguém, alguém pode, alguém poderia
        MAKE: faz, faça, fazer, me faz, constrói, construa, cria, crie, criar, transforma, transforme, converte
        MAKE: converta, programa, desenvolve, desenvolva, transformar, converter, construir
        ME: me, nos
        THIS: isso, isto, aquilo, essa ideia, esta ideia, esse jogo, este jogo, esse app, este app
        INTO: em, num, numa, como
        A: um, uma
        SORT: pequeno, pequena, simples, web
        APP: app, aplicativo, aplicação, jogo, site, página, ferramenta, quiz
        BARE: app, aplicativo
        OF: disso, disto, daquilo, com isso, com isto, para isso, para isto, pra isso, sobre isso, sobre isto
        OF: a partir disso
        WANT: devia haver, deveria haver, devia ter, quero, queria, preciso de, gostaria de, precisamos de
        SHOULD: devia ser, deveria ser, podia ser, poderia ser, tem que ser
        IDIOM: faz acontecer
        """,
    ),
    _Grammar(
        """
        THIS
        [WHO] [THIS [WO]] MAKE
        [WHO] [THIS [WO]] BARE [WO] MAKE
        [WHO] THIS WO APP [WO] MAKE
        [WHO] THIS NO APP [[WO] MAKE]
        [WHO] [THIS [WO]] APP TURN
        BARE
        """,
        """
        WHO: 誰か, だれか
        THIS: これ, それ, あれ, このアイデア, そのアイデア, この投稿, このゲーム, このアプリ
        WO: を, で, から, も, を元に, をもとに, を使って, って
        NO: の, のための, みたいな, のような
        MAKE: 作って, つくって, 作ってほしい, 作って欲しい, 作ってみて, 作れる, 作れますか, 作れません, 実現して
        MAKE: 形にして, 頼む, 頼みます
        APP: アプリ, ゲーム, ウェブアプリ, サイト, ウェブサイト, ツール, クイズ
        BARE: アプリ
        TURN: にして, にしてほしい, にして欲しい, にしてみて, に変えて, に変換して, にできる, にできますか
        """,
        glue="",
    ),
)

# Within an ask that says more, these point as well: what is meant is not whole without the other post.
_REFERS = Terms(
    listed("""
    en: make this, make these, make me this, build this, build these, build me this, build that, turn this, turn that
    en: turn these, turn it into, convert this, convert that, convert these, convert it into, transform this
    en: transform it into, recreate this, recreate that, port this, out of this, out of that, out of these
    en: based on this
    en: based on that, based on these, inspired by this, inspired by that, from this, from these, like this
    en: like these
    en: for this, of this, of these, about this, using this, with this, this but, the above, the post above
    en: what they said
    de: daraus, hieraus, draus, das hier
    es: de esto, con esto, para esto, como esto, sobre esto, haz esto, convierte esto, construye esto, crea esto
    es: conviértelo en, transforma esto
    fr: de ça, avec ça, pour ça, comme ça, sur ça, fais ça, transforme ça, construis ça, crée ça, fais en
    pt: disso, disto, com isso, para isso, pra isso, como isso, sobre isso, faz isso, faça isso, transforma isso
    pt: transforme isso, cria isso, crie isso
    ja: これを, これで, これの, これみたいな, このような, それを
""")
)


@lru_cache(maxsize=256)
def points_elsewhere(ask: str) -> bool:
    """Whether it says so little that what is to be built stands in the post that it replies to, or quotes.

    Nothing at all does, and so does a finger that is raised at it; a please does, a hello or applause does not.
    """
    said = OTHERS.sub("", ask).strip() or ask
    words = spaced(said)
    if not words:
        return not said or _FINGER.search(said) is not None
    return len(said) <= _LONGEST and _is_a_pointer(words)


def names_what_it_points_at(ask: str) -> bool:
    """Whether what stands before a colon or a dash only points at what stands behind it."""
    before, *behind = COLON.split(ask, maxsplit=1)
    return bool(behind and behind[0].strip() and spaced(before)) and _is_a_pointer(spaced(before))


def pointed_at(ask: str, record: Mapping[str, Any]) -> tuple[AtUri, ...]:
    """The posts without which an ask is not whole, as "build this" and "a quiz about this": parent and quoted post."""
    if not (points_elsewhere(ask) or _refers(ask)):
        return ()
    return tuple(uri for uri in (parent_of(record), quoted_by(record)) if uri is not None)


@lru_cache(maxsize=256)
def _refers(ask: str) -> bool:
    return _REFERS.find(spaced(ask)) is not None and not names_what_it_points_at(ask)


def _is_a_pointer(words: str) -> bool:
    bare = (left for begun in POLITE.openings(words) for left in POLITE.endings(begun))
    return any(_says_so_little(left.split(), words) for left in bare)


def _says_so_little(left: Sequence[str], words: str) -> bool:
    if not left:
        return PLEASE.find(words) is not None or CAN_YOU.find(words) is not None
    return any(grammar.has(left) for grammar in _GRAMMARS)
