# ruff: noqa: E501 - an app a line
"""The apps that the checks are tried on: good ones that pass all of them, broken ones that break one rule each."""

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path

from builder.generators.template import choose
from builder.generators.templates.page import render

_GOOD = Path(__file__).with_name("good")
TEMPLATES = {
    "pomodoro": "pomodoro 25/5",
    "tip": "tip splitter for 4 people",
    "todo": "to-do list: milk, eggs, bread",
    "wheel": "decision wheel: pizza, sushi or tacos",
    "countdown": "countdown to new year",
    "converter": "unit converter",
    "dice": "roll two dice",
    "palette": "colour palette",
    "flashcards": "flashcards: cat = Katze, dog = Hund",
    "habits": "habit tracker: water, walk, read",
    "drawing": "drawing pad",
    "calculator": "calculator for bmi = weight / height^2",
}


@dataclass(frozen=True)
class Broken:
    """An app with one fault: which check finds it, and what stands in the finding, or in the warning for a `WARNED` one."""

    name: str
    check: str
    told: str
    body: str = "<h1>Fine</h1><p>All is well.</p>"
    head: str = ""
    more: Mapping[str, str] | None = None
    whole: str | None = None

    @property
    def files(self) -> dict[str, str]:
        """Its files by name."""
        return {"index.html": self.whole if self.whole is not None else page(self.body, self.head), **(self.more or {})}


def page(body: str, head: str = "") -> str:
    """A page that is well apart from what stands in it."""
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Fine</title>'
        f'<meta name="viewport" content="width=device-width">{head}</head><body>{body}</body></html>'
    )


def good_apps() -> dict[str, dict[str, bytes]]:
    """The files of each good app by its name: the templates' first."""
    apps: dict[str, dict[str, bytes]] = {}
    for name, ask in TEMPLATES.items():
        built = choose(ask)
        assert built is not None, ask
        apps[name] = {"index.html": render(built).encode()}
    for folder in sorted(_GOOD.iterdir()):
        files = (path for path in sorted(folder.rglob("*")) if path.is_file())
        apps[folder.name] = {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}
    return apps


_OK = "<h1>Fine</h1><p>All is well.</p>"
_HIDDEN_LINK = "const place = ['https:', '', 'evil.test', 'x'].join('/');"


def _framed(depth: int) -> str:
    return f'<iframe title="x" srcdoc="{escape(_framed(depth - 1))}"></iframe>' if depth else "<p>x</p>"


STATIC = (
    Broken("a name that leads away", "files", "steps out of its folder", more={"../x.js": "1"}),
    Broken("two names in two cases", "files", "the same name twice", more={"a.txt": "a", "A.txt": "b"}),
    Broken("the name of a device", "files", "a device", more={"con.js": "1"}),
    Broken("a hidden file", "files", "a hidden file", more={".env": "x"}),
    Broken("a file that is too large", "files", "more than the 1000000 allowed", more={"a.txt": "x" * 1_000_001}),
    Broken("files that are too large together", "files", "more than the 2000000 allowed", more={f"{name}.txt": "x" * 900_000 for name in "abc"}),
    Broken("more files than are served", "files", "files, more than the 40 allowed", more={f"a{number}.txt": "x" for number in range(40)}),
    Broken("an empty page", "files", "empty", whole=" "),
    Broken("a type that is not served", "files", "a type of file", more={"run.sh": "x"}),
    Broken("no index", "files", "there is no index.html", whole="", more={}),
    Broken("cut off within a script", "page", "ends inside", whole=page(_OK)[:-14] + "<script>let a ="),
    Broken("cut off within the text", "page", "breaks off", whole=page(f"<main>{_OK}").removesuffix("</body></html>")),
    Broken("a script from its host's root", "page", "starts at the root", f'{_OK}<script src="/main.js"></script>', more={"main.js": "1"}),
    Broken("a picture that is not there", "page", "'gone.png' is not there", f'{_OK}<img src="gone.png" alt="">'),
    Broken("a name in another case", "page", "is spelled 'pic.svg'", f'{_OK}<img src="Pic.svg" alt="">', more={"pic.svg": "<svg xmlns='http://www.w3.org/2000/svg'/>"}),
    Broken("a style that imports nothing", "page", "'theme.css' is not there", head="<style>@import 'theme.css';</style>"),
    Broken("a package", "page", "is a package", f"{_OK}<script type=module>import React from 'react';</script>"),
    Broken("a library from elsewhere", "page", "refers to", f'{_OK}<script src="https://cdn.evil.test/react@99.js"></script>'),
    Broken("a library hidden in a text", "page", "a script refers to", f"{_OK}<script>const later = 'import(\"https:\\/\\/evil.test/x.js\")';</script>"),
    Broken("a call for data", "page", "it calls fetch", f"{_OK}<script>async function load() {{ return (await fetch('data.json')).json() }}</script>"),
    Broken("a service worker", "page", "a service worker", f"{_OK}<script>if (0) navigator.serviceWorker.register('sw.js')</script>"),
    Broken("a page that is none", "page", "cannot be read as HTML", whole="<![x["),
    Broken("a page that reads in two ways", "page", "hides markup", f"{_OK}<!--><b>for browsers only</b><!-- -->"),
    Broken("frames within frames", "page", "frames within frames", f"{_OK}{_framed(5)}"),
    Broken("a way out of the folder", "page", "leads out of", f'{_OK}<img src="../pic.png" alt="">'),
    Broken("a folder", "page", "is a folder", f'{_OK}<a href="more/">More</a>', more={"more/index.html": page(_OK)}),
    Broken("a page with another base", "page", "a <base> element", head='<base href="./">'),
    Broken("a style from elsewhere", "page", "a style refers to", head="<style>@import 'https://evil.test/x.css';</style>"),
    Broken("an address in two parts", "page", "a script refers to 'https://evil.test/x'", f"{_OK}<script>place = 'ht' + 'tps://evil.test/x'</script>"),
    Broken("an address in disguise", "page", "a script refers to 'https://evil.test/x'", f"{_OK}<script>place = '\\x68ttps://evil.test/x'</script>"),
    Broken("a module that is none", "page", "is no module", f'{_OK}<script>import {{ a }} from "./a.js"</script>', more={"a.js": "export const a = 1"}),
    Broken("a request", "page", "it opens a connection", f"{_OK}<script>const ask = () => new XMLHttpRequest()</script>"),
    Broken("a beacon", "page", "it calls sendBeacon", f"{_OK}<script>const tell = () => navigator.sendBeacon('x')</script>"),
    Broken("a script of a worker", "page", "it calls importScripts", f"{_OK}<script>const more = () => importScripts('x.js')</script>"),
    Broken("a worker", "page", "it starts a worker", f"{_OK}<script>const start = () => new Worker('w.js')</script>"),
    Broken("eval", "page", "it calls eval", f"{_OK}<script>const solve = (sum) => eval(sum)</script>"),
    Broken("a function of a text", "page", "it makes a function of a text", f"{_OK}<script>const solve = (sum) => new Function(sum)</script>"),
    Broken("a window", "page", "it opens a window", f"{_OK}<script>const show = () => window.open('')</script>"),
    Broken("a page that moves the one above", "page", "it moves the page", f"{_OK}<script>const out = () => {{ top.location.href = 'x' }}</script>"),
    Broken("a field that is typed into by the browser", "page", "is filled in with a secret", f'{_OK}<label>Code <input autocomplete="one-time-code"></label>'),
    Broken("a field for a secret", "page", "asks for a secret: pin code", f"{_OK}<label>PIN code <input></label>"),
    Broken("a field for a secret in two parts", "page", "asks for a secret: credentials", f"{_OK}<label>Cre<b>dentials</b> <input></label>"),
    Broken("a password that a script sets", "page", "a script makes a field", f"{_OK}<script>const make = (i) => {{ i.type = 'pass' + '\\x77ord' }}</script>"),
    Broken("a field that hides what is typed", "page", "a style hides what is typed", f'{_OK}<label>Word <input style="-webkit-text-security: disc"></label>'),
    Broken("what is not to be shown", "page", "not to be shown", f"{_OK}<h2>Wallet restore</h2><p>Enter your 12 word recovery phrase</p>"),
    Broken("a password", "page", "is a password field", f'{_OK}<label>Word <input type="password"></label>'),
    Broken("a password that a script makes", "page", "a password field", f"{_OK}<script>const form = '<input type=\"pass' + 'word\">';</script>"),
    Broken("a card in disguise", "page", "is made for a card", f'{_OK}<label>Yours <input inputmode="numeric" placeholder="0000 0000 0000 0000"></label>'),
    Broken("a brand's login", "page", "PayPal".lower(), "<h1>PayPal</h1><p>Log in to go on.</p><label>Mail <input type=email></label><button type=button>Next</button>"),
    Broken("a page that sends on", "page", "<meta> refresh", head='<meta http-equiv="refresh" content="0;url=x.html">', more={"x.html": page(_OK)}),
    Broken("a page that leads away", "page", "it leads away", f"{_OK}<button type=button onclick=\"location.href = '\\x69ntent:evil'\">Go</button>"),
    Broken("a key", "page", "an API key", f"{_OK}<!-- sk-ant-api03-R2d7Kq9ZtLw4XyB8mN1vPc -->"),
    Broken("a script that breaks off", "page", "a syntax error in its line 2", f"{_OK}<script>\nfunction go( {{\n</script>"),
    Broken("data that is no JSON", "page", "not JSON", more={"data.json": "{'a': 1,}"}),
    Broken("a picture that is no XML", "page", "not XML", f'{_OK}<img src="a.svg" alt="">', more={"a.svg": "<svg xmlns='http://www.w3.org/2000/svg'><g></svg>"}),
)  # fmt: skip

IN_A_BROWSER = (
    Broken("an error when it opens", "browser", "TypeError", f"{_OK}<script>document.getElementById('gone').hidden = true</script>"),
    Broken("a promise that nobody catches", "browser", "lost", f"{_OK}<script>Promise.reject(new Error('lost'))</script>"),
    Broken("an error when it is pressed", "browser", 'after a press on <button> "Start"', f'{_OK}<button type=button onclick="start()">Start</button>'),
    Broken("an error when it is filled in", "browser", 'after typing into <input> "Mood"', f'{_OK}<label>Mood <input oninput="gone.x = 1"></label>'),
    Broken("an error when it is chosen in", "browser", "after choosing in <select>", f'{_OK}<label>Pick <select onchange="gone.x = 1"><option>a<option>b</select></label>'),
    Broken("an error after a key", "browser", "after the key Escape", f"{_OK}<script>addEventListener('keydown', (e) => {{ if (e.key === 'Escape') gone() }})</script>"),
    Broken("storage that is taken for granted", "browser", "'localStorage'", f"{_OK}<script>localStorage.setItem('a', 'b')</script>"),
    Broken("an empty root", "browser", "blank: nothing is painted", '<div id="root"></div>'),
    Broken("white on white", "browser", "the colour of its ground", _OK, "<style>html, body, h1 { background: #fff; color: #fff }</style>"),
    Broken("a canvas that stays empty", "browser", "blank", '<canvas id="c" width="300" height="300"></canvas><script>c.getContext("2d").fillRect(0, 0, 0, 0)</script>'),
    Broken("blank in the dark", "browser", "blank: nothing is painted when it is opened", _OK, "<style>@media (prefers-color-scheme: dark) { html, body { background: #000; color: #000 } }</style>"),
    Broken("wider than a phone", "browser", 'wider than a phone of 390 pixels: <p> "Wide"', f'{_OK}<p style="width: 700px">Wide</p>'),
    Broken("a button cut off", "browser", 'wider than a phone of 390 pixels: <button> "Far"', f'{_OK}<button type=button style="width: 500px">Far</button>', "<style>body { overflow-x: hidden }</style>"),
    Broken("a file asked for by a script", "browser", "a file that is not there: 'gone.png'", f"{_OK}<script>new Image().src = ['gone', 'png'].join('.')</script>"),
    Broken("an address put together", "browser", "'https://evil.test/x'", f"{_OK}<script>{_HIDDEN_LINK} new Image().src = place</script>"),
    Broken("a frame put together", "browser", "'https://evil.test", f"{_OK}<script>{_HIDDEN_LINK} const f = document.createElement('iframe'); f.src = place; document.body.append(f)</script>"),
    Broken("a way out put together", "browser", "leaves for 'https://evil.test/x'", f"{_OK}<script>{_HIDDEN_LINK} location = place</script>"),
    Broken("a form that is sent", "browser", "form-action", f'{_OK}<form id="f"><button>Send</button></form><script>{_HIDDEN_LINK} f.action = place; f.submit()</script>'),
    Broken("a socket by another name", "browser", "opens a connection to 'wss://evil.test/x'", f"{_OK}<script>{_HIDDEN_LINK} const S = window['Web' + 'Socket']; try {{ new S(place.replace('https', 'wss')) }} catch {{}}</script>"),
    Broken("a connection between browsers", "browser", "Blocked a connection", f"{_OK}<script>const P = window['RTCPeer' + 'Connection']; try {{ new P() }} catch {{}}</script>"),
    Broken("eval by another name", "browser", "stops eval", f"{_OK}<script>try {{ (0, window['ev' + 'al'])('1') }} catch {{}}</script>"),
    Broken("a password made late", "browser", "a field for a password or a card", f"{_OK}<script>const i = document.createElement('input'); i.type = ['pass', 'word'].join(''); i.ariaLabel = 'x'; document.body.append(i)</script>"),
    Broken("a window by another name", "browser", "Blocked opening", f"{_OK}<script>window['op' + 'en']('about:blank')</script>"),
    Broken("busy for ever", "browser", "never yields: its scripts are busy without end when it is opened", f"{_OK}<script>while (true);</script>"),
    Broken("busy for ever when pressed", "browser", 'without end after a press on <button> "Start"', f'{_OK}<button type=button onclick="while (true);">Start</button>'),
    Broken("dialogs without end", "browser", "opens dialogs without end", f"{_OK}<script>while (true) alert('again')</script>"),
    Broken("memory without end", "browser", "more memory than it may", f"{_OK}<script>const a = []; setInterval(() => a.push(new Uint8Array(4e7).fill(1)), 1)</script>"),
)  # fmt: skip

WARNED = (
    Broken("no doctype", "page", "no <!doctype html>", whole=page(_OK).removeprefix("<!doctype html>")),
    Broken("no title", "page", "no <title>", whole=page(_OK).replace("<title>Fine</title>", "")),
    Broken("no language", "page", "no lang on <html>", whole=page(_OK).replace(' lang="en"', "")),
    Broken("no viewport", "page", "no <meta name=viewport>", whole=page(_OK).replace("viewport", "author")),
    Broken("an element that is not closed", "page", "<main> is never closed", f"<main>{_OK}"),
    Broken("a way to nobody knows where", "page", "known only when it runs", f"{_OK}<script>const go = (to) => document.location.assign(to)</script>"),
    Broken("a button without a name", "browser", "accessibility, critical: Buttons must have discernible text", f"{_OK}<button type=button></button>"),
    Broken("an error that is only told", "browser", "console: lost", f"{_OK}<script>console.error('lost')</script>"),
)  # fmt: skip
