"""Tells a wish to change what was answered from another ask; what may be either is another ask."""

import regex

from guardrails.asking import ends_in_an_app, parts
from guardrails.phrases import A_THING, POLITE, THERE
from guardrails.pointing import COLON, names_what_it_points_at
from guardrails.request import CommandWord
from guardrails.thanks import praises
from guardrails.words import Terms, listed, spaced

# Whom it is said to, beside us.
_ADDRESSED = regex.compile(r"^(?:@[\w.-]++[\s,:;!]*+)+(?=\S)")
_BUT = regex.compile(r"(?i)\b(?:but|aber|pero|mais|mas)\b")
# A with or a without that begins what is said is about something that is there; what is longer says of what.
_FRAGMENT = 5

# A command that is said of something is none: a word is a command when it is the whole post.
_MEANT = {
    CommandWord.DELETE: Terms(
        listed("""
    en: delete, remove, take down, take this down, take it down, take that down, erase, unpublish
    de: lösch, lösche, entferne
    es: borra, elimina, bórralo, elimínalo, bórrala, elimínala
    fr: supprime, efface, supprime le, supprime la
    pt: apaga, apague, exclui, exclua, deleta
""")
    ),
    CommandWord.CANCEL: Terms(
        listed("""
    en: cancel, stop, abort, forget, scrap
    de: stopp, stoppe, vergiss, brich, abbrechen
    es: cancela, cancélalo, para, olvida, olvídalo
    fr: annule, arrête, oublie
    pt: cancela, cancele, para, esquece, esqueça
""")
    ),
    CommandWord.RETRY: Terms(
        listed("""
    en: retry, redo
    es: reintenta, reinténtalo
    fr: réessaie
""")
    ),
}
_OF_WHAT_IS_THERE = Terms(
    listed("""
    en: this, that, it, them, the app, the game, the page, the post, the reply, the link, your reply, your post
    en: my app, my ask
    en: this app, this game, this page, this post, this reply, this thing, this one, that app, that post
    en: my request, this request, please, pls, again, now, everything, all of it, all of this, for me
    de: das, es, die app, das spiel, die seite, den post, die antwort, diese app, dieses spiel, bitte, wieder, ab
    es: esto, eso, la app, el juego, la página, esta app, tu respuesta, lo, por favor
    fr: ça, ceci, cela, le, la, l app, le jeu, la page, cette app, ta réponse, stp, s il te plaît
    pt: isso, isto, o app, o jogo, a página, este app, esse app, a tua resposta, por favor
""")
)
_MEANT_AT_END = {CommandWord.DELETE: Terms(["これを消して", "これを削除して", "削除して", "消して"])}

# What begins so is about something that is there already.
_OF_IT = Terms(
    listed("""
    en: make it, make that, make this, make them, make these, make those, make its, turn it, translate it, have it
    en: i want it, i need it, i d like it, i would like it, i prefer it, try it, let it, put it, move it, do it again
    en: try again, the same but, same but, same thing but, same app but, this but, like this but
    de: mach es, mach sie, mach ihn, mache es, das gleiche aber, dasselbe aber, ich will es, ich möchte es
    es: hazlo, hazla, ponlo, ponla, cámbialo, lo mismo pero, igual pero, hacerlo, hacerla, ponerlo, ponerla, lo quiero
    es: la quiero, cambiarlo, cambiarla, lo puedes, la puedes
    fr: rends le, rends la, rends les, la même chose mais, pareil mais, le rendre, la rendre, les rendre, le mettre
    fr: la mettre, les mettre, le faire en, la faire en, je le veux, je la veux, je le voudrais, je la voudrais
    fr: mets le
    pt: deixa, deixe, deixar, faz ele, faz ela, fazer ele, fazer ela, a mesma coisa mas, igual mas
""")
)

# What begins so changes something, unless what it ends with is an app of its own.
_CHANGES = Terms(
    listed("""
    en: translate to, translate into
    en: turn the, change the, change it, change its, change this, change that, change to, switch to, change color*
    en: change colour*
    en: fix the, fix it, fix that, fix this, fix its, add, remove the, remove it, remove that, remove all, delete the
    en: delete that, drop the, get rid of, move the, rename the, rename it, replace the, replace it, swap the
    en: update the, update it, undo the, undo it, undo that, undo this, revert it, revert that, revert the
    en: increase the
    en: decrease the, reduce the, enlarge the, shrink the, center the, center it, centre the, centre it, align the
    en: use different, use a different, use another, hide the, set the, keep the, improve the, improve it, with sound*
    en: needs, lacks, missing, with more, with less, more, less, it should, it needs, it could, it would be
    en: it doesn t, it does not, it isn t
    en: it is not, it s not, it is too, it s too, it crashes, it broke, it s broken, it is broken, doesn t work
    en: does not work, not working, that s not, there s a bug, there is a bug, could it, can it, instead, i d prefer
    en: i would prefer, i meant, i said, how about a different, in dark mode, in light mode, another color
    en: another colour, different color*, different colour*
    de: ändere, änder, füge, entferne, lösche den, lösche die, lösche das, ersetze, verschiebe, vergrößere
    de: verkleinere
    de: mehr, weniger, mit ton, mit mehr, es sollte, es geht nicht, es funktioniert nicht, funktioniert nicht
    de: geht nicht, es fehlt, es braucht, braucht, fehlt
    es: cambia, cambiar, añade, agrega, añádele, agrégale, añadir, agregar, quita, quítale, elimina, arregla, corrige
    es: mejora, más, menos, ponle, con sonido, con más, no funciona, debería, necesita, le falta, falta, poner
    fr: change le, change la, change les, ajoute, ajouter, ajoutez, enlève, retire, supprime le, supprime la
    fr: supprime les, remplace, répare, améliore, agrandis, réduis, plus grand*, plus petit*, plus gros*, plus vite
    fr: plus rapide*, plus lent*, plus clair*, plus sombre*, plus fort*, plus de, moins, avec du son, avec plus
    fr: ça ne marche pas, ça marche pas, ne marche pas, ne fonctionne pas, il faudrait, il manque, ça manque, manque
    pt: muda, mude, troca, troque, adiciona, adicione, adicionar, coloca, coloque, põe, bota, tira, tire, remova
    pt: remove o, remove a, conserta, conserte, corrija, arruma, arrume, melhora, melhore, aumenta, aumente, diminui
    pt: diminua, mais, com som, com mais, não funciona, deveria, podia ter, precisa, falta, faltou
    ja: もっと, もう少し, 色を, 文字を, ボタンを, 背景を, 音を, 動かない, 動きません
""")
)

# What begins so changes something when it ends with how that looks, or with a part of it.
_OF_A_PART = Terms(
    listed("""
    en: make the, make all, make everything, make some, use a, use an, use the, use more, use less, use, with, without
    en: should be, could be, must be, needs to be, show the, show a, show, put a, put the, put, let me, let the, allow
    en: try, too, remove, replace, reduce, the
    en: no, in
    de: mach, mach das, mach den, mach die, mache das, mache die, mit, ohne, zu, in, auf, es, sie, ihn, das, die, den
    es: haz, haz que, haz el, haz la, haz los, haz las, pon, pon el, pon la, con, sin, en, demasiado
    fr: fais, fais le, fais la, mets, mets le, mets la, mets les, mets un, mets une, avec, sans, trop, en
    pt: faz, faça o, faça a, com, sem, em, muito
""")
)
_PARTS = Terms(
    listed("""
    en: button, buttons, color, colors, colour, colours, text, font, fonts, background, sound, sounds, music, ads
    en: icon, icons, border, borders, dark mode, light mode, dark theme, light theme, theme, animation, animations
    en: title, footer, header, emoji, emojis, score, close, far apart, sound effects, sound effect, multiplayer
    en: multiplayer mode, leaderboard, high score, high scores, highscore, keyboard, keyboard controls, touch controls
    en: spanish, english, german, french, portuguese, italian, japanese, chinese, controls, instructions, reset button
    en: pause button, start button, stop button, back button, undo button, levels
    de: knopf, knöpfe, farbe, farben, schrift, hintergrund, ton, musik, werbung, mehrspieler, bestenliste, deutsch
    de: englisch, spanisch
    de: französisch
    es: botón, botones, color, colores, letra, fondo, sonido, música, modo oscuro, español, inglés
    fr: bouton, boutons, couleur, couleurs, police, fond, son, musique, mode sombre, français, anglais
    pt: botão, botões, cor, cores, letra, fundo, som, música, modo escuro, português, inglês
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

# Where the verb stands at the end.
_CHANGES_AT_END = Terms(
    listed("""
    de: hinzufügen, entfernen, ändern, einbauen, löschen
    ja: を追加して, を付けて, をつけて, を変えて, を変更して, に変えて, に変更して, を直して, を修正して
    ja: を消して, を削除して, くして, にして, が動かない, が動きません
""")
)
_MADE_AT_END = Terms(
    listed("""
    de: machen, färben, haben, einstellen, stellen
""")
)

# A text of nothing but these wants it changed.
_LOOKS = Terms(
    listed("""
    en: red, blue, green, yellow, orange, purple, pink, black, white, grey, gray, brown, dark, darker, light, lighter
    en: bright, brighter, big, bigger, small, smaller, larger, huge, tiny, fast, faster, slow, slower, loud, louder
    en: quieter, longer, shorter, wider, higher, lower, easier, harder, simpler, prettier, rounder, bold, a bit
    en: a little, much, way, even, in, colour, color, the, text, font, background, button, buttons, more, less, again
    en: undo, revert, redo, replace, dark mode, light mode, instead
    de: rot, blau, grün, gelb, lila, rosa, schwarz, weiß, groß, klein, größer, kleiner, etwas, viel, einfacher
    de: schwerer, schneller, langsamer, lauter, leiser, heller, dunkler, dunkelmodus
    es: rojo, azul, verde, amarillo, morado, negro, blanco, grande, pequeño, rápido, un poco, mucho, en, modo oscuro
    fr: rouge, bleu, vert, jaune, violet, rose, noir, blanc, grand, petit, un peu, beaucoup, mode sombre
    pt: vermelho, amarelo, roxo, preto, branco, maior, menor, um pouco, em
    ja: 赤, 青, 緑, 黄色, 黒, 白, 大きく, 小さく
""")
)
# Of two of a kind: what ends with a look and one of these is the one that is there, with that look.
_VERSIONS = Terms(
    listed("""
    en: one, ones, version, versions, edition, variant, variation, theme
    de: version, variante
    es: versión
    fr: version
    pt: versão
""")
)
_COMPARED = Terms(
    listed("""
    en: darker, lighter, brighter, bigger, smaller, larger, faster, slower, louder, quieter, longer, shorter, wider
    en: higher
    en: lower, easier, harder, simpler, prettier, rounder, bolder, clearer
""")
)
_MAKE = Terms(["make", "have", "let", "get"])
_FOR_US = Terms(["me", "us", "a", "an", "my"])

# What is wished for so is a change when it is nothing but looks and parts.
_WISHED = Terms(
    listed("""
    en: how about, what about, i want, i d like, i would like, i need, we need, we want, want, need, have, get, try
    de: ich will, ich möchte, ich hätte gern, ich brauche, wie wäre es mit, wie wär s mit
    es: quiero, quiero uno, quiero una, me gustaría, necesito, qué tal
    fr: je veux, je voudrais, j aimerais, il faut
    pt: quero, queria, gostaria de, preciso de, que tal
""")
)
_AROUND_LOOKS = Terms(
    listed("""
    en: a, an, the, some, one, it, in, with, of, and, or
    de: ein, eine, einen, es, in, mit, und
    es: un, una, uno, en, con, y
    fr: un, une, en, avec, du, de la, des, et
    pt: um, uma, em, com, e
""")
)

# It is asked of what is there: could the buttons be blue?
_CAN = Terms(
    listed("""
    en: can, could, should, would, will, might, is it possible to have
    de: kann, könnte, können, könnten, sollte, sollten
    es: puede, pueden, podría, podrían, debería, deberían
    fr: peut, peuvent, pourrait, pourraient, devrait, devraient, est ce que
    pt: pode, podem, poderia, poderiam
""")
)

# What these are of is an app of its own: to add numbers is arithmetic.
_ARITHMETIC = Terms(
    listed("""
    en: numbers, fractions, decimals, integers, digits, vectors, matrices, sums, subtract, subtraction, multiply
    en: divide
    en: add and, add up, flash cards, flashcards, together
""")
)
_WITH = Terms(
    listed("""
    en: with, without
    de: mit, ohne
    es: con, sin
    fr: avec, sans
    pt: com, sem
""")
)
_BEHIND_A_BUT = regex.compile(r".* (?:but|aber|pero|mais|mas) ")


def is_a_revision(ask: str) -> bool:
    """Whether it wants a change of something that is there already, and no other thing; beside that it may be kind."""
    said = _ADDRESSED.sub("", ask)
    if command_meant(said) is not None:
        return True
    if _names_another(said):
        return False
    if _wants_a_change(spaced(said)):
        return True
    pieces = parts(_BUT.sub(",", said))
    wishes = [part.words for part in pieces if not praises(part)]
    return 0 < len(wishes) < len(pieces) and all(map(_wants_a_change, wishes))


def command_meant(ask: str) -> CommandWord | None:
    """The command that is meant by what is none, since it says of what: "delete this"."""
    words = spaced(_ADDRESSED.sub("", ask))
    for left in POLITE.openings(words):
        for word, terms in _MEANT.items():
            rest = terms.after(left)
            if rest is not None and not POLITE.without(_OF_WHAT_IS_THERE.without(rest)).strip():
                return word
    bare = min(POLITE.endings(words), key=len)
    before = ((word, terms.before(bare)) for word, terms in _MEANT_AT_END.items())
    return next((word for word, left in before if left is not None and not left.strip()), None)


def _names_another(said: str) -> bool:
    """Whether what stands before a colon or a dash leads up to a thing that is named behind it."""
    if names_what_it_points_at(said):
        return True
    _, *behind = COLON.split(said, maxsplit=1)
    named = spaced(behind[0]) if behind else ""
    return A_THING.after(named) is not None and not _wants_a_change(named)


def _wants_a_change(words: str) -> bool:
    bare = min(POLITE.endings(words), key=len)
    begun = tuple(POLITE.openings(bare))
    if any(_OF_IT.after(left) is not None for left in begun) or _is_a_look(words):
        return True
    return any(map(_changes_something, begun)) and not ends_in_an_app(bare)


def _changes_something(words: str) -> bool:
    if _CHANGES.after(words) is not None:
        return _ARITHMETIC.find(words) is None
    if _CHANGES_AT_END.before(words) is not None or _is_of_a_part(words):
        return True
    wished = _WISHED.after(words)
    if wished is not None and _is_nothing_but_looks(wished):
        return True
    versions = _VERSIONS.before(words)
    if versions is not None and _LOOKS.before(versions) is not None:
        return True
    return _is_a_fragment(words) or _is_made_more(words)


def _is_of_a_part(words: str) -> bool:
    asked = _CAN.after(words)
    said = _THE_PART.after(words if asked is None else asked)
    if said is not None and (asked is not None or _IS.find(said) is not None):
        return True
    made = _MADE_AT_END.before(words) or words
    ends_in_a_look = _LOOKS.before(made) is not None or _PARTS.before(made) is not None
    return ends_in_a_look and (
        _OF_A_PART.after(words) is not None or (asked is not None and THERE.after(asked) is not None)
    )


def _is_a_fragment(words: str) -> bool:
    """With multiplayer; without the clock."""
    return _WITH.after(words) is not None and len(words.split()) <= _FRAGMENT


def _is_made_more(words: str) -> bool:
    """Make buttons bigger: what is compared is there."""
    made = _MAKE.after(words)
    return made is not None and _COMPARED.before(made) is not None and _FOR_US.after(made) is None


def _is_a_look(words: str) -> bool:
    """Whether it names nothing but a look or a part, by itself or behind "but"."""
    return _is_nothing_but_looks(str(_BEHIND_A_BUT.sub("", words)))


def _is_nothing_but_looks(words: str) -> bool:
    left = _LOOKS.without(_PARTS.without(words))
    return left != words and not _AROUND_LOOKS.without(POLITE.without(left)).strip()
