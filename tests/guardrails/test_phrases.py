"""What an ask that is short may mean: thanks, a wish to change what is there, a finger that points at another post."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardrails import phrases, revisions
from guardrails.pointing import points_elsewhere
from guardrails.revisions import is_a_revision
from guardrails.thanks import is_thanks
from guardrails.words import Terms


@pytest.mark.parametrize(
    "ask",
    [
        *("thanks!", "Thank you so much \u2764\ufe0f", "ty", "thx u", "love it, thanks", "that's perfect, thank you!!"),
        *(
            "good bot",
            "wow, so cool",
            "awesome \U0001f389",
            "It works, thanks a lot!",
            "this is exactly what I wanted, thanks",
        ),
        *("danke dir", "vielen Dank!", "Super, danke", "muchas gracias", "me encanta, gracias", "merci beaucoup"),
        *("thanks @friend!", "@friend thank you"),
        *("génial, merci !", "muito obrigado", "valeu demais", "ありがとうございます", "すごい、ありがとう"),
    ],
)
def test_thanks_ask_for_nothing(ask: str) -> None:
    """Nor does praise, in six languages."""
    assert is_thanks(ask)


@pytest.mark.parametrize(
    "ask",
    [
        *("", "\u2764\ufe0f", "app", "a thank you card maker", "thanks, now a dice roller", "thanksgiving countdown"),
        *("great circle distance", "perfect pitch trainer", "nice weather map", "cool down timer", "super mario quiz"),
        *(
            "a ty cobb quiz",
            "love letter generator",
            "best friend quiz",
            "wow guild tracker",
            "神経衰弱",
            "最高スコア表",
        ),
        *("Danke-Karte", "tarjeta de gracias", "carte de remerciement"),
    ],
)
def test_an_ask_with_a_kind_word_is_an_ask(ask: str) -> None:
    """Something is left of it."""
    assert not is_thanks(ask)


@pytest.mark.parametrize(
    "ask",
    [
        *("make it blue", "bigger please", "can you add a reset button", "now with sound", "make the buttons bigger"),
        *("Please make it a dark theme", "it doesn't work on my phone", "dark mode", "blue", "a bit bigger please"),
        *(
            "too small",
            "the same but with cats",
            "could it count down instead?",
            "Great! Now make it red",
            "fix the score",
        ),
        *("thanks, can you make it louder", "change the font", "different colors", "the buttons are too close"),
        *(
            "mach es blau",
            "mach die Schrift größer",
            "füge Ton hinzu",
            "kannst du einen Knopf hinzufügen",
            "größer bitte",
        ),
        *("hazlo azul", "más grande por favor", "añade un botón", "rends-le plus grand", "ajoute un bouton stp"),
        *("try blue", "can we have it in blue", "a timer but blue", "@friend make it blue", "make it a game"),
        *("make the text bigger", "the timer is too loud", "hi, make it dark mode", "it should be blue", "more"),
        *("add sound to the game", "without the music", "with a dark background", "I want it in red please"),
        *("mach das Spiel lauter", "un reloj pero azul", "ohne Ton", "use a bigger font", "add dark mode"),
        *(
            "deixa azul",
            "mais rápido",
            "adiciona som",
            "もっと大きくして",
            "青くして",
            "リセットボタンを追加してください",
        ),
    ],
)
def test_a_change_is_told_from_an_ask(ask: str) -> None:
    """In six languages, whatever politeness goes before it."""
    assert is_a_revision(ask)


@pytest.mark.parametrize(
    "ask",
    [
        *(
            "",
            "make me a dice roller",
            "build a timer",
            "a dice roller",
            "dice roller please",
            "now build me a chess clock",
        ),
        *(
            "can you make me another app: a dice roller",
            "change calculator",
            "I want a quiz about cats",
            "address book",
        ),
        *("moving average calculator", "fixture list", "great, now make me a map", "blueprint viewer", "please"),
        *("make the game of life", "use a physics engine to simulate a pendulum", "add a todo list app"),
        *(
            "show me the moon phase",
            "without internet radio",
            "translate this",
            "make a new one",
            "now do one for cats",
        ),
        *("use the pythagorean theorem in a quiz", "with a partner I need a chess clock", "let the user pick a wine"),
        *("fix my sleep schedule planner", "remove background from pictures app", "too many cooks timer"),
        *("show the weather in Paris", "another one: a chess clock", "make this: a red ball game", "the color quiz"),
        *(
            "improve my typing",
            "try black jack",
            "the sound of music quiz",
            "swap meet finder",
            "anything but green tea",
        ),
        *(
            "haz el juego de la vida",
            "fais le jeu de la vie",
            "mach das Spiel des Lebens",
            "音を録音するアプリを作って",
        ),
        *("mach mir einen Würfel", "hazme un temporizador", "fais-moi un minuteur", "faz um cronômetro"),
        *("サイコロを作って", "青空の写真"),
    ],
)
def test_another_ask_is_no_change(ask: str) -> None:
    """It is built, also under an answer of ours."""
    assert not is_a_revision(ask)


@pytest.mark.parametrize(
    "ask",
    [
        *("", "\U0001f446", "^", "this", "this please", "build this", "Build this!", "please make this", "do it"),
        *("make it an app", "can you build this?", "turn this into an app please", "ok make it happen", "yes please"),
        *("could you make an app out of this? thanks", "I want this!", "what she said"),
        *("@friend build this", "make this @friend"),
        *("mach daraus eine App", "bau das bitte", "haz esto por favor", "hazlo", "fais ça stp", "fais-en une appli"),
        *("faz isso", "transforma isso em um app", "これ作って", "これを作ってください", "アプリにしてください"),
    ],
)
def test_an_ask_that_says_so_little_points_elsewhere(ask: str) -> None:
    """At the post that it replies to, or quotes."""
    assert points_elsewhere(ask)


@pytest.mark.parametrize(
    "ask",
    [
        *("build this: a dice roller", "make it rain", "this is a test page", "make a timer", "timer", "a go board"),
        *("make this work for cats", "an app for cats", "thisaway compass", "a please and thank you game"),
        *("@friend", "@friend a timer"),
        *("haz una app de recetas", "fais une app de cuisine", "これは何", "mach daraus Suppe"),
    ],
)
def test_an_ask_that_says_what_it_wants_points_nowhere(ask: str) -> None:
    """Though it begins like one that does."""
    assert not points_elsewhere(ask)


# Each of these begins or ends with a command, a kind word or a pointer, and asks for an app.
LOOK_ALIKES = (
    *("stop watch", "help me plan meals", "retry game", "delete my photos app", "status page", "a cancel culture quiz"),
    *(
        "forget me not flower quiz",
        "remember me when I'm gone poem",
        "help desk",
        "stop motion viewer",
        "bus stop times",
    ),
    *("thank you notes generator", "this day in history", "it support ticket counter", "build order timer"),
    *("do it yourself checklist", "made in heaven quiz", "credit score explainer", "via ferrata map"),
)


@pytest.mark.parametrize("ask", LOOK_ALIKES)
def test_a_look_alike_is_an_ask(ask: str) -> None:
    """It thanks nobody, changes nothing, and points nowhere."""
    assert not is_thanks(ask)
    assert not is_a_revision(ask)
    assert not points_elsewhere(ask)


def test_every_list_has_what_it_finds() -> None:
    """No entry that no text could match, and none that every text would."""
    lists = {name: value for name, value in (vars(phrases) | vars(revisions)).items() if isinstance(value, Terms)}

    assert len(lists) > 10
    assert {} == {name: terms.find("") for name, terms in lists.items() if terms.find("") is not None}


@given(st.text(st.characters()))
def test_any_text_gets_an_answer(ask: str) -> None:
    """Never an exception."""
    assert isinstance(is_thanks(ask) | is_a_revision(ask) | points_elsewhere(ask), bool)
