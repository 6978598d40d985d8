"""Which of the dozen apps an ask gets: asks that are one, and asks that only look like one."""

import pytest

from builder.generators.template import choose

IS = {
    "pomodoro": """
        make me a pomodoro timer
        Pomodoro 50/10/30 please
        a focus timer: 50 minutes work 10 break
        study timer
        timer for my homework
        ein Konzentrations-Timer mit 30 Minuten Arbeit""",
    "tip": """
        tip splitter for 4 people
        split the bill for 120 with a 20% tip
        15% tip calculator
        calculate the tip: tip calculator for two
        Trinkgeld-Rechner für 3 Personen
        una app de propinas para 6 personas""",
    "todo": """
        to-do list
        shopping list: milk, eggs
        make a todo app for my move
        a packing list for Rome
        Einkaufsliste: Brot, Käse
        a to-do list with a pomodoro timer""",
    "wheel": """
        decision wheel: pizza, sushi or tacos
        spin the wheel for a prize
        a wheel to decide which game to play: chess, uno or go
        can't decide: red or blue?
        decision wheel for game night
        Glücksrad: Kino oder Theater""",
    "countdown": """
        a countdown to christmas
        countdown to 24 December
        how many days until Halloween
        countdown to my wedding on 12 June 2027
        Countdown bis Weihnachten
        cuenta atrás para año nuevo
        a countdown to the game on Saturday""",
    "timer": """
        egg timer for 6 minutes
        a 10 minute timer
        countdown of 90 seconds
        tea timer
        timer for 1 hour and 30 minutes
        a 45-second plank timer""",
    "converter": """
        km to miles
        unit converter
        convert 5 kg to pounds
        celsius to fahrenheit converter
        a page that converts cups to millilitres
        10 inches in cm
        Einheitenrechner
        conversor de unidades""",
    "dice": """
        2d20 dice
        dice roller
        roll two dice
        make a 20-sided die roller for our D&D night
        roll 3d6+2
        virtual dice
        Würfel-App mit zwei Würfeln
        lanzador de dados""",
    "palette": """
        palette from #ff8800
        colour palette
        pastel color palette
        color scheme generator
        a palette for autumn: colour palette generator
        Farbpalette aus blau
        paleta de colores""",
    "flashcards": """
        Spanish flashcards: hola=hello, adiós=goodbye
        flash cards for the capitals of Europe
        vocab trainer for French
        study cards: H - hydrogen, He - helium
        Karteikarten: Hund=dog, Katze=cat
        flashcards for the 7 times table
        tarjetas de vocabulario""",
    "habit": """
        habit tracker
        habit grid: run, read, sleep
        track my daily habits
        streak counter
        an app to keep track of three habits
        Gewohnheitstracker
        seguimiento de hábitos""",
    "drawing": """
        drawing pad
        a whiteboard with red and blue
        app to draw on
        sketchpad with dotted paper
        a painting app for kids
        Zeichenbrett
        pizarra para dibujar""",
    "calculator": """
        BMI calculator
        calculate area = width * height
        a calculator
        mortgage calculator
        calculate miles and pace
        simple calculator app with history
        compound interest calculator
        formula: total = price * (1 + tax rate / 100)
        Prozentrechner
        calculadora de préstamos""",
}
LOOKS_LIKE_IT = {
    "pomodoro": """
        chess timer
        tabata interval timer workout
        pomodori pasta recipes in a blog
        what is the best time to study
        a tomato growing calendar""",
    "tip": """
        tip of the day
        gardening tips
        tips about travel
        bill of rights reader
        a restaurant menu""",
    "todo": """
        a playlist of sad songs
        mailing list sign-up
        price list for my shop
        list of US presidents
        make a game with a to-do list""",
    "wheel": """
        a wheel of time quiz
        ferris wheel animation
        colour wheel theory
        car wheel shop
        a game where you spin a wheel""",
    "countdown": """
        Countdown letters and numbers
        game of chess with a countdown
        stopwatch
        a world clock
        the countdown of the top 40 songs
        a calendar of holidays""",
    "converter": """
        currency converter
        convert euros to dollars
        convert my c program to rust
        cups to grams
        pdf to word converter
        time zone converter
        mp3 converter
        convert me to buddhism""",
    "dice": """
        dice game like Yahtzee
        recipe for diced tomatoes
        vitamin d3 log
        3d model viewer
        make a game where you roll dice
        a chess opening with d4""",
    "palette": """
        eyeshadow palette review
        command palette for my editor
        colour blindness test
        colour by numbers for kids
        wooden palette furniture
        what colour is my aura""",
    "flashcards": """
        sd card reader
        memory card game
        a birthday card for mum
        flash game
        business card
        a quiz about flags with flashcards""",
    "habit": """
        an essay on good habits
        habitat map of bears
        eating habits advice
        expense tracker
        what habits do you recommend""",
    "drawing": """
        draw me a cat
        lottery drawing app
        draw a winner from these names
        sketch comedy writer
        paint my house
        drawing game like pictionary""",
    "calculator": """
        love calculator
        tax calculator
        retirement calculator
        calorie calculator
        calculator museum
        a calculated risk
        work out plan""",
    "none": """
        make a game of chess
        make a game
        snake
        weather app
        a bank sign-in page
        a chat room
        hello
        a website for my bakery with a countdown
        translate "todo list" into French""",
}


def table(asks: dict[str, str]) -> list[tuple[str, str]]:
    return [(kind, line.strip()) for kind, lines in asks.items() for line in lines.strip().splitlines()]


@pytest.mark.parametrize(("kind", "ask"), table(IS))
def test_an_ask_gets_the_app_that_it_names(kind: str, ask: str) -> None:
    """In three languages; of two apps, the one that is named first."""
    page = choose(ask)

    assert page is not None
    assert kind == page.file.removesuffix(".html")


@pytest.mark.parametrize(("kind", "ask"), table(LOOKS_LIKE_IT))
def test_an_ask_that_only_looks_like_an_app_gets_none(kind: str, ask: str) -> None:
    """A wrong app is worse than an honest refusal."""
    assert choose(ask) is None
