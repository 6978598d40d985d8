"""What people say in the bot's six languages when they thank, credit, correct or point at something."""

from guardrails.words import Terms, listed

# Around an ask; may stand before or behind it, and asks for nothing itself.
POLITE = Terms(
    listed("""
    en: please, pls, plz, hey, hi, hello, ok, okay, so, now, and, but, also, then, yes, yeah, oh, well, just, maybe
    en: can you, could you, would you, will you, can u, could u, can we, could we, can i, could i, i want you to
    en: i d like you to
    en: great, nice, cool, awesome, perfect, amazing, love it, i love it, wow, omg
    en: kindly, go ahead and, for me, for us, thanks, thank you, thank u, thx, cheers, ty
    de: bitte, hallo, jetzt, und, aber, auch, dann, ja, mal, doch, noch, danke, kannst du, könntest du, würdest du
    de: für mich, für uns, super, toll
    es: por favor, porfa, hola, ahora, y, pero, también, puedes, podrías, me puedes, nos puedes, para mí, gracias
    es: genial
    fr: s il te plaît, s il vous plaît, stp, svp, bonjour, salut, maintenant, et, mais, aussi, peux tu, tu peux
    fr: pourrais tu, pouvez vous, pour moi, merci
    pt: oi, olá, agora, e, mas, também, pode, você pode, poderia, podes, consegue, pra mim, para mim
    pt: obrigado, obrigada, legal
    ja: では, じゃあ, それと, あと, お願いします, お願い, おねがい, ください, 下さい
    ja: くれますか, くれる, もらえますか, ね
""")
)

# A text of nothing but these and politeness is a hello or a nod.
GREETINGS = Terms(
    listed("""
    en: there, you, all, everyone, bot, friend, good morning, good evening, good afternoon, good night, morning, gm
    en: gn
    en: greetings, howdy, yo, sup, how are you, how s it going, what s up, nice to meet you, welcome, bye, goodbye
    en: see you, yep, yup, sure, right, indeed, exactly, same, true, agreed, fine, hm, hmm, no, nope, test, testing
    en: ping
    de: du, guten morgen, guten tag, guten abend, gute nacht, moin, servus, grüezi, tschüss, wie geht s, genau, nein
    es: buenos días, buenas tardes, buenas noches, buenas, qué tal, cómo estás, adiós, sí, vale, claro, exacto
    fr: bonsoir, bonne nuit, coucou, ça va, au revoir, oui, d accord, exact, non
    pt: bom dia, boa tarde, boa noite, tudo bem, tchau, sim, claro, exato, não
    ja: こんにちは, こんばんは, おはよう, ございます, はじめまして, やあ, どうも, はい, うん, いいえ, なるほど
""")
)

# In a question, or before a verb of making, these want something of us.
CAN_YOU = Terms(
    listed("""
    en: can you, could you, would you, will you, can u, could u, can we, could we, can i, could i, can someone
    en: could someone, can somebody, could somebody, may i, would it be possible, is it possible
    en: do you think you could
    de: kannst du, könntest du, würdest du, könnt ihr, können wir, könnten wir, kann ich, machst du, baust du
    es: puedes, podrías, puedo, podemos, podríamos, me haces, nos haces, me harías
    fr: peux tu, tu peux, pourrais tu, tu pourrais, pouvez vous, pourriez vous, est ce que tu peux, on peut
    pt: pode, podes, poderia, podemos, você pode, consegue, consegues
""")
)

# Behind "can you" these want nothing made.
WONDERS = Terms(
    listed("""
    en: believe, imagine, guess, tell, spot, see, beat, find, talk, show, say, share, all, just, appreciate, feel
    en: hear
    en: get over, find out, not
    de: glauben, raten, sehen, sagen, dir vorstellen, das glauben, es glauben
    es: creer, creerlo, imaginar, adivinar, ver, decir
    fr: croire, imaginer, deviner, voir, dire, y croire, le croire
    pt: acreditar, imaginar, adivinhar, ver, dizer
""")
)

# Which of these stands anywhere behind a credit makes an ask of what follows it.
PLEASE = Terms(
    listed("""
    en: please, pls, plz
    de: bitte
    es, pt: por favor, porfa
    fr: s il te plaît, s il vous plaît, stp, svp
    ja: お願い, おねがい, ください, 下さい
""")
)

THANKS = Terms(
    listed("""
    en: thanks, thank you, thank u, thankyou, thx, thnx, tysm, ty, tyvm, cheers, much appreciated, appreciate it
    en: love it, i love it, love this, i love this, great, awesome, amazing, perfect, brilliant, fantastic, wonderful
    en: excellent, incredible, nice, cool, sweet, neat, good bot, good job, well done, good work, wow, it works
    en: you rock, this rocks, you rule, lifesaver, life saver, masterpiece, work of art, a gem, a joy, a treat
    en: a delight
    en: a legend, a genius, a hero, a star, a beauty, nailed it, kudos, bravo, congrats, yay, woohoo, lol, haha
    en: hahaha, lmao, omg
    en: hell yeah, beautiful, gorgeous, brilliant work, great job, great work, chef s kiss, you did it, you made my day
    en: exactly what i wanted, exactly what i needed, just what i wanted, just what i needed
    de: danke, dankeschön, dank, super, toll, klasse, genial, perfekt, prima, großartig, wunderbar, gut gemacht
    de: guter bot, geil, funktioniert, hammer, spitze, gute arbeit, du bist der beste, du bist die beste
    es: gracias, perfecto, genial, increíble, me encanta, buen trabajo, qué bueno, guay, excelente, maravilloso, jaja
    es: jajaja
    es: eres el mejor, eres la mejor, qué chulo, qué guay
    fr: merci, mercis, génial, parfait, magnifique, j adore, bravo, bon travail, excellent, super boulot, trop bien
    fr: mdr
    fr: tu es le meilleur, tu es la meilleure, beau travail
    pt: obrigado, obrigada, obg, valeu, brigado, brigada, perfeito, incrível, adorei, amei, ótimo, maravilhoso
    pt: excelente, bom trabalho, kkk, kkkk, você é o melhor, você é a melhor
    ja: ありがと, ありがとう, 有難う, 感謝, サンキュー, どうも, すごい, 最高, 素晴らしい, すばらしい, 完璧, いいね, 神
""")
)

# What may stand beside thanks.
AROUND_THANKS = Terms(
    listed("""
    en: so, very, much, many, a lot, a bunch, a million, a ton, tons, loads, heaps, a great deal, you, you re, you are
    en: u, this, that, it, it s, is, was, really
    en: absolutely, just, the, best, for, again, bot, app, everyone, lol, haha, omg, and, oh, my, friend, all, quick
    en: exactly, what i wanted, what i needed, making, building, work, job, man, i, have, fun, works, looks, pretty
    en: totally, as well, too, hey, hi, hello, ok, okay, yes, yeah, well, for me, for us, that s, little, super, ever
    en: what a, such a, how, here, these, those, they, we, re, are, am, me
    de: dir, euch, sehr, tausend, nochmal, nochmals, herzlichen, das, ist, es, wirklich, echt, die, der, für, und, ja
    de: genau, was ich wollte, vielen, gut
    es: muchas, muy, mucho, mil, muchísimas, muchísimo, tan, por, la, el, el, eso, esto, es, está, todo, qué, app
    fr: beaucoup, bien, très, infiniment, encore, c est, c était, trop, pour, l appli, tout, à toi, vraiment, mille
    fr: ça
    pt: muito, muita, mesmo, pelo, pela, isso, ficou, demais, o, de, app
    ja: ございます, ございました, 本当に, です, ね, よ, さん, とても, これ, みんな, は, した
""")
)

# Right before our mention, these say who made something.
CREDITS_BEFORE = Terms(
    listed("""
    en: built with, built by, built using, made with, made by, made using, created with, created by, coded by
    en: coded with, vibe coded with, vibe coded by, generated by, generated with, powered by, developed by, design by
    en: app by, game by, credit to, credits to, credit goes to, hat tip to
    en: thanks to, thank you to, many thanks to, shoutout to, shout out to, shoutout, shout out, courtesy of
    en: props to, kudos to, with help from, with the help of
    de: gebaut mit, gebaut von, gemacht mit, gemacht von, erstellt mit, erstellt von, gebastelt mit, dank, danke an
    de: dank an, mit hilfe von, mithilfe von
    es: hecho con, hecho por, hecha con, hecha por, creado con, creado por, creada con, creada por, construido con
    es: construido por, gracias a, cortesía de, crédito a
    fr: fait avec, fait par, faite par, créé avec, créé par, créée par, réalisé avec, réalisé par, grâce à, merci à
    pt: feito com, feito por, feita com, feita por, criado com, criado por, criada com, criada por, graças a
    pt: graças ao, obrigado a, cortesia de
""")
)

# These say so behind what was made, or where nothing but our mention stands; before an ask they only address it.
CREDITS_BEHIND = Terms(
    listed("""
    en: via, credit, credits, h t, hat tip
    es, pt: crédito, créditos
    fr: crédit, crédits
    ja: 提供, 制作, 作者, 協力, クレジット
""")
)
# These only behind what was made.
BY = Terms(
    listed("""
    en: by
    de: von
    es, pt: por, pelo, pela
    fr: par
""")
)
# Addresses whatever stands beside it; where nothing does, nothing is asked.
COPIED = Terms(["cc"])
# What opens with these, says how much, and then what for, is thanks.
THANKING = Terms(
    listed("""
    en: thanks, thank you, thank u, many thanks, big thanks, thx, ty, tysm, cheers, kudos, props, congrats
    de: danke, dankeschön, vielen dank, besten dank, herzlichen dank, tausend dank
    es: gracias, muchas gracias, mil gracias, muchísimas gracias
    fr: merci, mille mercis, un grand merci
    pt: obrigado, obrigada, muito obrigado, muito obrigada, brigado, brigada, valeu
""")
)
HOW_MUCH = Terms(
    listed("""
    en: so much, so so much, so very much, very much, a lot, a ton, a bunch, a million, tons, loads, heaps, again
    en: once again
    de: dir, euch, sehr, schön, nochmal, nochmals, vielmals
    es: de nuevo, otra vez, de verdad
    fr: beaucoup, bien, infiniment, encore, mille fois, à toi
    pt: muito, mesmo, de novo, demais
""")
)
FOR = Terms(
    listed("""
    en: for
    de: für
    es, pt: por, pelo, pela
    fr: pour
""")
)

# Praise that stands at the end of what is said, or beside whom or what it is about.
GLAD = Terms(
    listed("""
    en: thanks, thank you, thank u, thx, ty, tysm, cheers, appreciate, appreciated, love, loves, loved, loving, enjoy
    en: enjoys
    en: enjoyed, enjoying, great, awesome, amazing, perfect, perfectly, brilliant, fantastic, wonderful, excellent
    en: incredible, nice, cool, sweet, neat, works, worked, helpful, useful, fun, obsessed, addicted, addictive
    en: hooked
    en: happy, impressed, impressive, beautiful, gorgeous, cute, adorable, hilarious, funny, clever, smart, legend
    en: genius
    en: best, good, wow, rocks, rock, magic, fire, delightful, delighted, lifesaver, masterpiece, like it, likes it
    en: joy, delight, blessing
    en: like a charm, 10 10, 5 stars, five stars
    de: danke, super, toll, klasse, genial, perfekt, prima, großartig, wunderbar, geil, funktioniert, liebe, liebt
    de: lieben
    de: schön, hübsch, spaß, begeistert, hammer, lustig, cool, stark, gefällt, nützlich, hilfreich, freut, freue
    es: gracias, perfecto, perfecta, genial, increíble, encanta, funciona, bonito, bonita, divertido, divertida, útil
    es: excelente, gusta, maravilla, contento, contenta, feliz
    fr: merci, génial, géniale, parfait, parfaite, magnifique, adore, adorent, aime, aiment, marche, top, chouette
    fr: beau
    fr: belle, utile, sympa, excellent, excellente, drôle, bravo, content, contente
    pt: obrigado, obrigada, valeu, perfeito, perfeita, incrível, adorei, adoram, adora, amei, amam, ama, ótimo, ótima
    pt: gostei
    pt: lindo, linda, legal, funciona, útil, divertido, divertida, massa, maravilha, feliz
""")
)
GLAD_AT_END = Terms(
    listed("""
    ja: ありがとう, ありがとうございます, ありがとうございました, 感謝, 感謝です, すごい, すごいです, 最高, 最高です
    ja: 素晴らしい
    ja: 素晴らしいです, 完璧, 完璧です, 大好き, 大好きです, 楽しい, 楽しいです, 便利, 便利です, 嬉しい, 嬉しいです
    ja: うれしい
    ja: 面白い, 面白いです, おもしろい, かわいい, かわいいです, 可愛い, 助かりました, 助かる, 気に入った
    ja: 気に入りました, いいね
""")
)
# Thanks that stand behind what they are for.
THANKED_AT_END = Terms(
    listed("""
    ja: ありがとう, ありがとうございます, ありがとうございました, ありがとうね, 感謝, 感謝です, 感謝します
""")
)
ABOUT_IT = Terms(
    listed("""
    en: so, such, what, how, really, very, absolutely, totally, it, it s, this, that, these, those, the, my, our, your
    en: you, you re, i, i m, we, he, she, they, everyone, everybody
    de: es, das, dies, die, der, dieses, diese, mein, meine, meinen, unser, unsere, dein, deine, du, ich, wir, sie, er
    de: alle
    es: lo, la, el, los, las, esto, eso, este, esta, mi, mis, nuestro, nuestra, tu, te, me, nos, todos, quedó
    es: ha quedado
    fr: ça, c est, le, la, les, l, ce, cet, cette, mon, ma, mes, notre, nos, ton, ta, tu, je, j, on, nous
    fr: tout le monde
    pt: isso, isto, o, a, os, as, este, esta, esse, essa, meu, minha, meus, minhas, nosso, nossa, seu, sua, eu
    pt: a gente, todos
    pt: ficou
""")
)

# A part that begins so names a thing: another one than is there.
A_THING = Terms(
    listed("""
    en: a, an, another, one more, one with, one about, next a, next an, next one
    de: ein, eine, einen, noch ein, noch eine, noch einen, als nächstes
    es: un, una, otro, otra
    fr: un, une, un autre, une autre, encore un, encore une
    pt: um, uma, outro, outra, mais um, mais uma
    ja: 次は
""")
)
WISHES = Terms(
    listed("""
    en: want a, want an, want another, want one, wants a, wants an, wants another, wants one, need a, need an
    en: need another
    en: needs an, needs another, would like a, would like an, would like another, would love a, would love an
    de: will ein, will eine, will einen, wollen ein, wollen eine, wollen einen, möchte ein, möchte eine, möchte einen
    de: brauche ein, brauche eine, brauche einen, hätte gern ein, hätte gern eine, hätte gern einen
    es: quiero un, quiero una, quiere un, quiere una, quieren un, quieren una, quiero otro, quiero otra
    fr: veux un, veux une, veut un, veut une, voudrait un, voudrait une, veulent un, veulent une
    pt: quero um, quero uma, quer um, quer uma, querem um, querem uma, quero outro, quero outra
    ja: が欲しい, がほしい, も欲しい, もほしい
""")
)

# One of these, and then "with", "by" or the like right before our mention, says the same.
MADE = Terms(
    listed("""
    en: built, made, created, coded, generated, developed, designed, whipped up, put together, cooked up
    de: gebaut, gemacht, erstellt, gebastelt, programmiert
    es: hecho, hecha, hice, creado, creada, creé, construí
    fr: fait, faite, créé, créée, construit, réalisé
    pt: feito, feita, fiz, criado, criada, criei
""")
)
WITH = Terms(
    listed("""
    en: with, using, by
    de: mit, von
    es, pt: con, com, por, usando, pelo, pela
    fr: avec, par
""")
)

# Behind "with" and our mention, these say the same.
I_MADE = Terms(
    listed("""
    en: i made, i built, i created, i coded, i just made, i just built, i have made, i ve made, i ve built, we made
    en: we built, we created, my friend made, my kid made
    de: habe ich, haben wir, hab ich
    es: hice, creé, construí, he hecho, hicimos
    fr: j ai fait, j ai créé, j ai construit, on a fait, nous avons fait
    pt: eu fiz, fiz, criei, eu criei, fizemos
""")
)

# Right behind our mention, these say that we made something.
CREDITS_AFTER = Terms(
    listed("""
    en: built this, built it, built that, made this, made it, made that, made me this, built me this, created this
    en: coded this, wrote this, did this
    de: hat das gebaut, hat das gemacht, hat mir das gebaut, hat das erstellt
    es: lo hizo, la hizo, hizo esto, lo creó, creó esto, me hizo esto
    fr: l a fait, a fait ça, a fait ceci, a créé ça, m a fait ça
    pt: fez isso, fez isto, criou isso, criou isto, me fez isso
    ja: で作った, で作りました, で作ってもらった, で作ってもらいました, が作った, が作りました, に作ってもらった
    ja: に作ってもらいました, 製
""")
)

# Between the names of a list of people.
JOINING = Terms(
    listed("""
    en: and, plus
    de: und
    es: y
    fr: et
    pt: e
    ja: と
""")
)

# What an ask begins with.
ASKS = Terms(
    listed("""
    en: make, build, create, code, write, design, generate, draw, give me, gimme, get me, show me, help me, i want
    en: i need
    en: i d like, i would like, i d love, i would love, i wish, would love, we need, we want, need, want, looking for
    en: any chance, somebody make, someone make, somebody build, someone build, somebody should, someone should
    en: how about, what about, let s have, turn it, turn this, turn that, turn these, convert it, convert this, do one
    en: do another, do the same, have one, get one, get another, have another
    de: mach, mache, bau, baue, erstelle, erstell, schreib, bastel, bastle, programmier, programmiere, ich möchte
    de: ich will
    de: ich brauche, ich hätte gern, ich hätte gerne, wie wäre es mit, wie wär s mit
    es: haz, hazme, haznos, hacer, hacerme, hacernos, crea, crear, créame, construye, quiero, quisiera, necesito
    es: me gustaría
    es: qué tal un, qué tal una, conviértelo, convierte
    fr: fais, faites, faire, me faire, nous faire, crée, créer, construis, construisez, je veux, je voudrais
    fr: j aimerais
    fr: il me faut, j ai besoin d, transforme, pourquoi pas un, pourquoi pas une
    pt: faz, faça, fazer, me faz, crie, cria, criar, construa, quero, queria, preciso, gostaria, transforma
    pt: transforme
    pt: que tal um, que tal uma
""")
)

# Where the verb of an ask stands at its end.
ASKS_AT_END = Terms(
    listed("""
    de: mir bauen, mir machen, mir basteln, mir programmieren, mir erstellen, uns bauen, uns machen
    ja: 作って, つくって, 作ってほしい, 作って欲しい, 作ってくれる, 作ってくれない, 作ってもらえる, 作れる, 作れますか
    ja: 作りたい
    ja: がほしい, が欲しい, がほしいです, が欲しいです
""")
)

# Before these, what may be a verb of asking is a noun.
NOUNS = Terms(
    listed("""
    en: on, at, by, is, was, in, via, from, here, below, log, logs, time, times, and design, and code, courtesy
    de: von, ist, war, bei, auf, hier
    es: de, es, en, aquí
    fr: de, est, ici
    pt: de, é, aqui
""")
)

# These ask for nothing, though they begin as if they did.
NO_ASKS = Terms(
    listed("""
    en: write up, make no, make sure, make sense, make way, make do, make it count, make the most, make my day
    en: i want to thank
    en: i want to say, i want to share, i want to show, i want to tell, i need to say, i need to share
    en: i need to thank
    en: i d like to thank, i d like to say, i d like to share, i would like to thank, i would like to say
    en: i d love to hear
    en: i d love to know, i need to tell, i wish i had known, i want everyone, need help, need i say, want to see
    en: want to try, want to play, want to know, need to, show me yours, i need to stop, i need to try, i need to show
    de: ich möchte mich bedanken, ich möchte danken, ich will nur sagen, ich möchte sagen, ich möchte nur
    es: quiero agradecer, quiero decir, quiero dar las gracias, quiero compartir
    fr: je veux remercier, je voudrais remercier, je veux dire, je voudrais dire
    pt: quero agradecer, queria agradecer, quero dizer, quero compartilhar
""")
)

# What ends with one of these is an app of its own, unless something says that it is the one that is there.
APPS = Terms(
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
THERE = Terms(
    listed("""
    en: the, this, that, your
    de: der, die, das, dem, den, dieser, diese, dieses
    es: el, la, este, esta
    fr: le, la, l, cet, cette, ce
    pt: o, a, ao, no, na, do, da, este, esta
    ja: この, その
""")
)

# Named alone beside a kind word, these are what is praised.
DEVICES = Terms(
    listed("""
    en: timer, clock, counter, list, map, chart, board, page, one, thing, version, idea, trainer, puzzle, player
    en: stuff
    de: timer, uhr, liste, karte, idee, ding
    es: temporizador, reloj, lista, mapa, idea
    fr: minuteur, horloge, liste, carte, idée
    pt: cronômetro, relógio, lista, mapa, ideia
""")
)
