"""Tells a wish to change what was answered from another ask; what may be either is another ask."""

import regex

from guardrails.phrases import POINTERS, POLITE
from guardrails.words import Terms, listed, spaced

# Whom it is said to, beside us.
_ADDRESSED = regex.compile(r"^(?:@[\w.-]++[\s,:;!]*+)+(?=\S)")
_POINTERS = frozenset(spaced(pointer).strip() for pointer in POINTERS)

# What begins so is about something that is there already.
_OF_IT = Terms(
    listed("""
    en: make it, make that, make this, make them, make these, make those, make its, turn it, translate it, have it
    en: i want it, i need it, i d like it, i would like it, i prefer it, try it, let it, put it, move it, do it again
    en: try again, the same but, same but, same thing but, same app but, this but, like this but
    de: mach es, mach sie, mach ihn, mache es, das gleiche aber, dasselbe aber
    es: hazlo, hazla, ponlo, ponla, cámbialo, lo mismo pero, igual pero
    fr: rends le, rends la, rends les, la même chose mais, pareil mais
    pt: deixa, deixe, faz ele, faz ela, a mesma coisa mas, igual mas
""")
)

# What begins so changes something, unless what it ends with is an app of its own.
_CHANGES = Terms(
    listed("""
    en: turn the, change the, change it, change its, change this, change that, change to, change color*, change colour*
    en: fix the, fix it, fix that, fix this, fix its, add, remove the, remove it, remove that, remove all, delete the
    en: delete that, drop the, get rid of, move the, rename the, rename it, replace the, replace it, swap the
    en: update the, update it, undo the, undo it, undo that, revert it, revert that, revert the, increase the
    en: decrease the, reduce the, enlarge the, shrink the, center the, center it, centre the, centre it, align the
    en: use different, use a different, use another, hide the, set the, keep the, improve the, improve it, with sound*
    en: with more, with less, more, less, it should, it needs, it could, it would be, it doesn t, it does not, it isn t
    en: it is not, it s not, it is too, it s too, it crashes, it broke, it s broken, it is broken, doesn t work
    en: does not work, not working, that s not, there s a bug, there is a bug, could it, can it, instead, i d prefer
    en: i would prefer, i meant, i said, how about a different, in dark mode, in light mode, another color
    en: another colour, different color*, different colour*
    de: ändere, änder, füge, entferne, lösche den, lösche die, lösche das, ersetze, verschiebe, vergrößere, verkleinere
    de: mehr, weniger, mit ton, mit mehr, es sollte, es geht nicht, es funktioniert nicht, funktioniert nicht
    de: geht nicht, es fehlt
    es: cambia, cambiar, añade, agrega, añádele, agrégale, añadir, agregar, quita, quítale, elimina, arregla, corrige
    es: mejora, más, menos, ponle, con sonido, con más, no funciona, debería
    fr: change le, change la, change les, ajoute, ajouter, ajoutez, enlève, retire, supprime le, supprime la
    fr: supprime les, remplace, répare, améliore, agrandis, réduis, plus grand*, plus petit*, plus gros*, plus vite
    fr: plus rapide*, plus lent*, plus clair*, plus sombre*, plus fort*, plus de, moins, avec du son, avec plus
    fr: ça ne marche pas, ça marche pas, ne marche pas, ne fonctionne pas, il faudrait
    pt: muda, mude, troca, troque, adiciona, adicione, adicionar, coloca, coloque, põe, bota, tira, tire, remova
    pt: remove o, remove a, conserta, conserte, corrija, arruma, arrume, melhora, melhore, aumenta, aumente, diminui
    pt: diminua, mais, com som, com mais, não funciona, deveria, podia ter
    ja: もっと, もう少し, 色を, 文字を, ボタンを, 背景を, 音を, 動かない, 動きません
""")
)

# What begins so changes something when it ends with how that looks, or with a part of it.
_OF_A_PART = Terms(
    listed("""
    en: make the, make all, make everything, make some, use a, use an, use the, use more, use less, use, with, without
    en: show the, show a, show, put a, put the, put, let me, let the, allow, try, too, remove, replace, reduce, the
    en: no, in, how about, what about
    de: mach, mach das, mach den, mach die, mache das, mache die, mit, ohne, zu, in
    es: haz, haz que, haz el, haz la, haz los, haz las, pon, pon el, pon la, con, sin, en, demasiado
    fr: fais, fais le, fais la, mets, mets le, mets la, mets les, mets un, mets une, avec, sans, trop, en
    pt: faz, faça o, faça a, com, sem, em, muito
""")
)
_PARTS = Terms(
    listed("""
    en: button, buttons, color, colors, colour, colours, text, font, fonts, background, sound, sounds, music, ads
    en: icon, icons, border, borders, dark mode, light mode, dark theme, light theme, theme, animation, animations
    en: title, footer, header, emoji, emojis, score, close, far apart
    de: knopf, knöpfe, farbe, farben, schrift, hintergrund, ton, musik, werbung
    es: botón, botones, color, colores, letra, fondo, sonido, música, modo oscuro
    fr: bouton, boutons, couleur, couleurs, police, fond, son, musique, mode sombre
    pt: botão, botões, cor, cores, letra, fundo, som, música, modo escuro
""")
)
# A part of it that is said to be otherwise than it should.
_THE_PART = Terms(
    listed("""
    en: the button*, the color*, the colour*, the text, the font, the background, the timer, the sound, the score
    en: the game, the app, the page
    de: der knopf, die farbe, die farben, die schrift, die app, das spiel
    es: el botón, los botones, el color, los colores, la app, el juego
    fr: le bouton, les boutons, la couleur, les couleurs, l app, le jeu
    pt: o botão, os botões, a cor, as cores, o app, o jogo
""")
)
_IS = Terms(
    listed("""
    en: is, are, isn t, aren t, should, could, doesn t, does not, don t, do not, needs, need, won t, can t, keeps
    de: ist, sind, sollte, sollten, geht, funktioniert, fehlt
    es: es, son, está, están, debería, deberían, no
    fr: est, sont, devrait, devraient, ne
    pt: é, são, está, estão, deveria, deveriam, não
""")
)

# What ends with one of these is an app of its own, unless something says that it is the one that is there.
_APPS = Terms(
    listed("""
    en: app, apps, game, games, quiz, calculator, tracker, generator, website, web site, site, tool, simulator
    en: simulation, planner, converter, checklist, finder, builder, maker, visualizer, editor, viewer, radio
    de: app, spiel, quiz, rechner, generator, seite
    es: app, aplicación, juego, calculadora, generador, página
    fr: app, appli, application, jeu, calculatrice, générateur, site
    pt: app, aplicativo, jogo, calculadora, gerador, site
    ja: アプリ, ゲーム, クイズ, アプリを作って, ゲームを作って, クイズを作って, アプリ作って
""")
)
_THERE = Terms(
    listed("""
    en: the, this, that, your
    de: der, die, das, dem, den, dieser, diese, dieses
    es: el, la, este, esta
    fr: le, la, l, cet, cette, ce
    pt: o, a, ao, no, na, do, da, este, esta
    ja: この, その
""")
)

# Where the verb stands at the end.
_CHANGES_AT_END = Terms(
    listed("""
    de: hinzufügen, entfernen, ändern, einbauen, löschen
    ja: を追加して, を付けて, をつけて, を変えて, を変更して, に変えて, に変更して, を直して, を修正して
    ja: を消して, を削除して, くして, にして, が動かない, が動きません
""")
)

# A text of nothing but these wants it changed.
_LOOKS = Terms(
    listed("""
    en: red, blue, green, yellow, orange, purple, pink, black, white, grey, gray, brown, dark, darker, light, lighter
    en: bright, brighter, big, bigger, small, smaller, larger, huge, tiny, fast, faster, slow, slower, loud, louder
    en: quieter, longer, shorter, wider, higher, lower, easier, harder, simpler, prettier, rounder, bold, a bit
    en: a little, much, way, even, in, colour, color, the, text, font, background, button, buttons, more, less, again
    en: undo, revert, redo, replace, dark mode, light mode
    de: rot, blau, grün, gelb, lila, rosa, schwarz, weiß, groß, klein, größer, kleiner, etwas, viel, einfacher
    de: schwerer, schneller, langsamer, lauter, leiser, heller, dunkler, dunkelmodus
    es: rojo, azul, verde, amarillo, morado, negro, blanco, grande, pequeño, rápido, un poco, mucho, en, modo oscuro
    fr: rouge, bleu, vert, jaune, violet, rose, noir, blanc, grand, petit, un peu, beaucoup, mode sombre
    pt: vermelho, amarelo, roxo, preto, branco, maior, menor, um pouco, em
    ja: 赤, 青, 緑, 黄色, 黒, 白, 大きく, 小さく
""")
)
_BUT = regex.compile(r".* (?:but|aber|pero|mais|mas) ")


def is_a_revision(ask: str) -> bool:
    """Whether it wants a change of something that is there already, and no other thing."""
    said = _ADDRESSED.sub("", ask)
    words = spaced(said)
    if not words or _names_another(said):
        return False
    bare = min(POLITE.endings(words), key=len)
    begun = tuple(POLITE.openings(bare))
    if any(_OF_IT.after(left) is not None for left in begun) or _is_a_look(words):
        return True
    return any(map(_changes_something, begun)) and not _ends_in_another(bare)


def _names_another(said: str) -> bool:
    """Whether what stands before a colon only points at what stands behind it."""
    before, colon, after = said.partition(":")
    return bool(colon and after.strip()) and any(
        left.strip() in _POINTERS for left in POLITE.openings(spaced(before)) if left
    )


def _changes_something(words: str) -> bool:
    if _CHANGES.after(words) is not None or _CHANGES_AT_END.before(words) is not None:
        return True
    said = _THE_PART.after(words)
    if said is not None and _IS.find(said) is not None:
        return True
    ends_in_a_look = _LOOKS.before(words) is not None or _PARTS.before(words) is not None
    return ends_in_a_look and _OF_A_PART.after(words) is not None


def _ends_in_another(words: str) -> bool:
    before = _APPS.before(words)
    return before is not None and _THERE.before(before) is None


def _is_a_look(words: str) -> bool:
    """Whether it names nothing but a look, by itself or behind "but"."""
    behind = str(_BUT.sub("", words))
    return _LOOKS.find(behind) is not None and not POLITE.without(_LOOKS.without(behind)).strip()
