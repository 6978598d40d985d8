"""Thanks, praise, applause and hellos, each told from the asks that look like them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardrails.revisions import is_a_revision
from guardrails.thanks import is_a_reaction, is_praise, is_thanks


def is_kind(ask: str) -> bool:
    """Of what is said right under an answer of ours."""
    return is_thanks(ask) or (is_praise(ask) and not is_a_revision(ask))


@pytest.mark.parametrize(
    "ask",
    [
        "thanks for the timer",
        "thank you so much for my timer!!",
        "danke für den Timer!",
        "gracias por el reloj",
        "thanks a ton",
        "you rock",
        "Thanks for the lovely timer",
        "ok thank you very much for this!",
        "thx for making it",
        "thanks again for the quiz, love it",
        "Thank you! Thank you for the quiz!",
        "vielen Dank für das Quiz",
        "danke dir für den Würfel",
        "muchas gracias por el temporizador",
        "mil gracias",
        "merci pour le minuteur",
        "merci beaucoup pour cette appli !",
        "obrigado pelo cronômetro",
        "muito obrigada pela ajuda",
        "valeu pelo app",
        "タイマーありがとう",
        "lol",
        "haha",
        "you're a legend",
        "thanks for the timer. A+",
        "thanks for the timer, a real lifesaver",
        "thank you for building me a word game",
        "kudos for the timer",
        "props for the quick build",
        "Thanks!! You're amazing",
        "Thank you for the quick reply",
        "Thanks so so much for the app",
        "thanks a million for the dice",
        "hey thanks for this",
        "awesome, thank you for the game",
        "wow thank you for the game",
        "tysm for the quiz",
        "thank you for everything",
        "omg thank you so much for this game",
        "you made my day",
        "thank you for your work @wright",
        "danke nochmal für den Wecker",
        "Danke schön für die App",
        "super, danke für die App",
        "¡Gracias por la app!",
        "gracias de nuevo por el juego",
        "génial, merci pour le jeu",
        "Merci à toi pour le quiz",
        "obrigada por tudo",
        "ありがとうございました\uff01",
        "クイズ、ありがとうございます",
    ],
)
def test_thanks_may_say_what_for(ask: str) -> None:
    """And how much, in six languages."""
    assert is_thanks(ask)


@pytest.mark.parametrize(
    "ask",
    [
        "thanks for the timer, can you make one for tea?",
        "thanks for the timer, now build me a metronome",
        "thanks for the timer! Now a metronome",
        "thanks for the timer can you make me another one",
        "thanks in advance for a dice roller",
        "a thank you card maker",
        "thank you notes generator",
        "thanks for the timer, another one for eggs please",
        "danke für den Timer, jetzt bau mir ein Metronom",
        "danke für den Timer! Kannst du mir auch ein Metronom bauen?",
        "gracias por el reloj, ahora haz un metrónomo",
        "merci pour le minuteur, fais-moi un métronome",
        "obrigado pelo timer, agora faz um metrônomo",
        "thanks, a dice roller",
        "ありがとうカードを作って",
        "thanksgiving countdown",
        "thank you for the timer. I want a metronome too",
        "thank you. please make me a timer",
        "Thanks! I'd like a chess clock",
        "a thanks for nothing meme maker",
        "thank you for smoking quiz please",
        "merci pour le jeu ! tu peux en faire un autre ?",
        "gracias por el juego, ¿puedes hacer otro?",
        "thanks for the dice. what about a coin flipper?",
    ],
)
def test_thanks_beside_an_ask_are_an_ask(ask: str) -> None:
    """A part of it asks, or names another thing."""
    assert not is_thanks(ask)


@pytest.mark.parametrize(
    "ask",
    [
        "my kids love it, thanks",
        "this is so helpful",
        "works great on my phone!",
        "the kids are obsessed",
        "so much fun",
        "great timer!",
        "nice little game",
        "love the colors",
        "haha my daughter won't stop playing it, thank you",
        "what a fun game",
        "exactly what I needed",
        "this rocks",
        "best bot ever",
        "I use it every day, thanks!",
        "meine Kinder lieben es, danke",
        "das ist echt schön geworden",
        "funktioniert super",
        "a mis hijos les encanta, gracias",
        "quedó genial",
        "mes enfants adorent, merci",
        "ça marche super bien",
        "meus filhos adoram, obrigado",
        "ficou lindo",
        "子供たちが大好きです",
        "とても便利です、ありがとうございます",
        "wow, a masterpiece!",
        "an absolute joy",
        "a fun little game",
        "beautiful",
        "thank you, it helped me a lot with my thesis",
        "it's perfect",
        "this is so good",
        "Love it!!!",
        "my mom will love this",
        "you nailed it",
        "that was fast, thank you",
        "works like a charm",
        "best. bot. ever.",
        "I'm impressed",
        "insanely cool",
        "that's exactly it, thanks",
        "hilarious",
        "I can't stop playing this, so addictive",
        "cool stuff",
        "nice work",
        "we played it all evening, great fun",
        "das ist ja cool",
        "richtig schön",
        "meine Tochter liebt es",
        "me gusta mucho",
        "qué divertido",
        "j'aime beaucoup",
        "trop cool",
        "adorei demais",
        "muito bom, obrigado",
        "面白いですね",
        "最高です\uff01",
    ],
)
def test_what_is_kind_under_an_answer_asks_for_nothing(ask: str) -> None:
    """Whatever it is that somebody likes."""
    assert is_kind(ask)


@pytest.mark.parametrize(
    "ask",
    [
        "thanks, now a dice roller",
        "thanks, a dice roller",
        "thanks, now build me a metronome",
        "cool, can you make a metronome?",
        "great, another one with cats",
        "love it, dice roller next please",
        "my kids love it and want another one about cats",
        "great circle distance calculator",
        "perfect pitch trainer",
        "神経衰弱",
        "最高スコア表を作って",
        "happy birthday countdown",
        "fun facts about cats",
        "cute cat memory",
        "nice weather map",
        "cool down timer",
        "super mario quiz",
        "love it, make it blue",
        "my kids love it but the text is too small",
        "thanks, but bigger",
        "make me a timer",
        "a metronome",
        "danke, jetzt ein Metronom",
        "gracias, ahora un metrónomo",
        "merci, maintenant un métronome",
        "obrigado, agora um metrônomo",
        "ありがとう、次はメトロノームを作って",
        "thanks, a fun quiz about cats",
        "I love it. Can I have one with dogs?",
        "so cool! make one for chess",
        "nice, how about a sudoku",
        "works great. Could you do a version for kids?",
        "thanks, I need a stopwatch too",
        "love letter generator",
        "best pizza places map",
        "perfect square checker",
        "cool s drawing guide",
        "happy hour finder",
        "fire drill timer",
        "magic 8 ball",
        "star chart",
        "funny cat name generator",
        "nice number facts",
        "das perfekte Ei",
        "smart home dashboard",
        "super, mach mir jetzt eine Uhr",
        "gute Nacht Geschichten",
    ],
)
def test_a_kind_word_under_an_answer_hides_no_ask(ask: str) -> None:
    """Nor a wish for a change, nor a thing that is only named."""
    assert not is_kind(ask)


@pytest.mark.parametrize(
    "ask",
    [
        "👏👏👏",
        "🙏❤️",
        "😂",
        "hi",
        "ok",
        "hello there",
        "hey!",
        "good morning",
        "Guten Morgen",
        "hola",
        "bonjour",
        "こんにちは",
        "yes",
        "@bob.test hi",
        "🎉🎉",
        "👍🏽",
        "ok cool",
        "test",
    ],
)
def test_a_hello_or_applause_asks_for_nothing(ask: str) -> None:
    """Nor does a nod."""
    assert is_a_reaction(ask)


@pytest.mark.parametrize(
    "ask",
    [
        "👆",
        "^",
        "please",
        "can you?",
        "yes please",
        "7",
        "hi, make me a timer",
        "hi-lo card game",
        "!?",
        "this",
        "yo-yo physics",
        "good morning quiz",
    ],
)
def test_what_points_or_asks_is_no_hello(ask: str) -> None:
    """Though it may begin with one."""
    assert not is_a_reaction(ask)


@given(st.text(st.characters()))
def test_any_text_gets_an_answer(ask: str) -> None:
    """Never an exception."""
    assert isinstance(is_thanks(ask) | is_praise(ask) | is_a_reaction(ask), bool)
