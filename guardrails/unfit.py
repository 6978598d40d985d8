"""What is not built, as lists: the built-in rules, which operators add to.

They are meant to catch the plain cases in the bot's six languages at no cost; a moderation service, where there is
one, judges the rest. An entry is a word or a phrase, found whole; with `*` at an end, also within a longer word.
"""

from guardrails.words import listed

REFUSED = listed("""
    sexual: porn*, *pornos, nudify*, undress her, undressing her, undress people, undress photos, nude photos
    sexual: nude pics, nudes, hentai, erotic game, erotic chat, strip poker, sex game, sex chat, sex simulator
    sexual: sexting, camgirl*, blowjob*, dick pic*, revenge porn, nackte frauen, mujeres desnudas, mulheres nuas
    sexual: femmes nues, ポルノ, エロゲ, アダルト動画
    children: child porn*, kinderporn*, csam, lolicon, shotacon, jailbait, 児童ポルノ
    hate: nigger*, faggot*, white power, heil hitler, sieg heil, gas the jews, kill all jews, kill all muslims
    hate: kill all gays, white genocide
    harm: how to kill myself, how to kill yourself, ways to kill myself, suicide method*, pro ana, thinspo*
    weapons: build a bomb, make a bomb, bomb making, pipe bomb*, nail bomb*, nerve agent, ghost gun*, 3d printed gun*
    weapons: bombe bauen, fabricar una bomba, fabriquer une bombe, fazer uma bomba, 爆弾の作り方
    violence: school shooting game, rape game
    drugs: meth recipe, cook meth, synthesize meth, synthesize fentanyl
    harassment: doxx*, dox people, dox someone, swatting tool*, swatting call*, swatting service*
    harassment: spy on my wife, spy on my husband, spy on my girlfriend
    harassment: spy on my boyfriend, spy on my ex, stalk my ex, stalkerware, track her phone, track his phone
    theft: phishing page*, phishing site*, phishing kit*, phishing form*, phishing link*, phishing mail*
    theft: phishing seite, página de phishing, page de phishing, フィッシングサイト, keylogger*
    theft: card skimmer*, carding site*, carding shop*, carding forum*, carding tool*, carding bot*, discord token grab*
    theft: session token grab*, password stealer*, credential stealer*, credential stuffing, account stealer*
    theft: wallet drainer*, crypto drainer*, steal passwords, steals passwords, steal card number*, steals card number*
    theft: steal card detail*, steals card detail*, steal card data, steals card data, steal credit card*
    theft: steals credit card*, counterfeit money, fake drivers license*, fake driving licen*, fake virus alert*
    theft: tech support scam
    attacks: ddos tool, ddos attack on, ddos someone, ddos button, ip stresser*, stresser panel*, ip booter*
    attacks: booter panel*, booter service*, cryptojack*
""")

HELD = listed("""
    sexual, violence: nsfw, deepfake*, deep fake*, gore, beheading*, school shooting*, mass shooting*
    harm: suicide, selbstmord, suicidio, suicídio, 自殺, self harm*, selfharm*
    hate, harassment: race war, swatting
    attacks: ransomware, spyware, botnet*, ddos, hack into, hack someone*, hack accounts, crack passwords, stresser
    attacks: booter, fork bomb*, key logger*
    theft: carding, token grabber*, cookie stealer*, steal card*, steals card*
    fraud: phishing, fake id, fake ids, fake tweet*, fake screenshot*, fake receipt*, fake review*, fake passport*
    rights: full lyrics, complete lyrics
    gambling: real money casino, real money gambling
""")

BRANDS = listed("""
    money: paypal, venmo, cash app, zelle, revolut, n26, stripe, western union, klarna, mastercard, visa, amex
    money: american express, wells fargo, bank of america, citibank, capital one, chase bank, hsbc, barclays, lloyds
    money: natwest, santander, bbva, nubank, itau, bradesco, sparkasse, volksbank, commerzbank, deutsche bank
    money: postfinance, credit agricole, bnp paribas, societe generale, 三菱ufj, みずほ銀行, 三井住友銀行, ゆうちょ
    coins: coinbase, binance, kraken, metamask, trezor, opensea, phantom wallet, trust wallet, ledger wallet
    accounts: google, gmail, youtube, apple, icloud, microsoft, outlook, office 365, hotmail, yahoo, facebook
    accounts: instagram, whatsapp, twitter, tiktok, snapchat, linkedin, discord, telegram, reddit, twitch, bluesky
    accounts: bsky, github, steam, roblox, epic games, fortnite, minecraft, netflix, spotify, disney plus, dropbox
    accounts: docusign
    shops: amazon, ebay, etsy, rakuten, 楽天, mercari, メルカリ
    parcels and offices: dhl, fedex, usps, royal mail, dpd, hermes, correos, la poste, correios, hmrc, irs
""")

# What a login makes a brand of.
INSTITUTIONS = listed("""
    en: *bank, *banking, credit union, crypto wallet, webmail
    es, pt: *banco, caixa
    fr: *banque
    ja: *銀行
""")

# Beside a brand.
LOGINS = listed("""
    en: login, logins, log in, logon, log on, signin, sign in, verify your account, account verification
    en: unlock your account, connect wallet, connect your wallet, connect their wallet, connect my wallet
    en: sign on page*, sign on form*, sign on screen*, sign on site*, signon, signons
    en: connect a wallet, wallet connect
    de: anmeldeseite, anmeldemaske, anmeldung, einloggen
    es: iniciar sesión, inicio de sesión
    fr: page de connexion, se connecter, identifiant*
    pt: página de entrada, fazer login
    ja: ログイン, サインイン
""")

# By themselves.
LOGIN_FORMS = listed("""
    en: login page, login form, login screen, log in page, log in form, log in screen, sign in page, sign in form
    en: sign in screen, signin page, signin form, sign on page, sign on form, sign on screen, signon page, signon form
    de: anmeldeseite, anmeldemaske, login seite
    es: página de inicio de sesión, formulario de inicio de sesión
    fr: page de connexion, formulaire de connexion
    pt: página de login, tela de login
    ja: ログイン画面, ログインページ
""")

SECRETS = listed("""
    en: password, passwords, pass word, pass words, passphrase, pass phrase, passcode, pass code
    en: pin code, pin number, credentials, login data, one time code*
    en: 2fa code*, otp code*, credit card, credit cards, card number*, cvv, cvc, bank details, social security number*
    en: ssn, passport number*, app password*
    de: passwort, passwörter, logindaten, zugangsdaten, kreditkarte*, bankdaten
    es: contraseña, contraseñas, tarjeta de crédito
    fr: mot de passe, mots de passe, carte bancaire
    pt: senha, senhas, cartão de crédito
    ja: パスワード, 暗証番号, クレジットカード
""")

WALLET_SECRETS = listed("""
    en: seed phrase*, recovery phrase*, secret phrase, mnemonic phrase*, private key*, wallet key*, seed word*
    en: recovery word*, your mnemonic*, their mnemonic*, wallet mnemonic*, bip39, bip 39
    es: frase semilla
    fr: phrase de récupération
    pt: frase semente
    ja: シードフレーズ, 秘密鍵
""")

# What the secret of a wallet is called as well, and what it is beside that is.
WALLET_HINTS = listed("""
    en: mnemonic*, 12 word*, 24 word*, twelve word*, twenty four word*
    de: 12 wörter*, 24 wörter*, zwölf wörter*
    es: 12 palabras, 24 palabras, doce palabras
    fr: 12 mots, 24 mots, douze mots
    pt: doze palavras, 12 palavras, 24 palavras
""")
COINS = listed("""
    any: wallet*, crypto, cryptocurrenc*, bitcoin*, btc, ethereum, metamask, trezor, coinbase, binance, billetera*
    any: portefeuille crypto
""")

# Beside a secret: it goes to somebody else.
TAKING = listed("""
    en: mails me, mail me, mails it to me, mails them to me, emails me, email me, emails it to me, emails them to me
    en: e mails me, e mail me, sends me, send me, sends it to me, sends them to me, send it to me, send them to me
    en: sent to me, texts me, dms me, dm me, forwards it to, forwards them to, to my server, to my discord
    en: to my webhook, to a webhook, to my telegram, to my email, to my e mail, to my inbox, so i can see, so i get
    de: schickt mir, mir schickt, sendet mir, mir sendet, mailt mir, mir mailt
    es: me envía, me envíe, me manda, envíame
    fr: m envoie, m envoyer, me envoie
    pt: me envia, me mande
    ja: 私に送, に送信
""")

# Beside a secret: it may go to somebody else, or stay where it is.
KEEPING = listed("""
    en: save, saves, store, stores, keep, keeps, log, logs, record, records, remember, asks for, ask for, enter your
    en: enter their, type your, type their, collect, collects, collecting, steal, steals, stealing, harvest, harvests
    en: harvesting, captures, capturing, grabs
    de: speichert, speichern, sammelt, stiehlt, klaut
    es: guarda, guardar, robar, roba
    fr: enregistre, enregistrer, voler, vole
    pt: salva, salvar, roubar, rouba
    ja: 保存, 入力, 盗
""")

# Beside the secret of a wallet, which nobody types into a page but to lose it.
ENTERING = listed("""
    en: enter, enters, entering, type, types, asks for, ask for, asking, asking for, paste, import, connect, restore
    en: recover, verify, validate, check, checks
    en: checker
    de: eingeben, prüfen
    es: introduce, introducir, verificar
    fr: saisir, entrer, vérifier
    pt: digite, digitar, inserir
    ja: 入力, 確認
""")

# Beside a brand.
IMITATING = listed("""
    en: fake, official, replica, exact copy, perfect copy, identical to, looks like, look like, clone
    en: looks just like, looks exactly like, indistinguishable, impersonat*, pretend to be, pretends to be, posing as
    en: pose as, spoof*
    de: gefälschte*, sieht aus wie, aussieht wie, nachmachen, offizielle*
    es: falso, falsa, oficial, idéntica a, igual que
    fr: faux, fausse, officiel*, identique à
    pt: igual ao, igual à
    ja: 偽, 公式, そっくり
""")

# Beside a brand a login that counts something may be meant well, but not a page for it.
COUNTED_LOGINS = listed("""
    en: login streak*, log in streak*, login bonus*, login counter*, login reward*, daily login tracker*
    en: daily login reminder*, daily login calendar*, daily login quest*, daily login checklist*
""")
PAGES = listed("""
    en: page*, form*, screen*, site, sites, website*, portal*
    de: seite*, maske*
    es, fr, pt: página*, formulari*, tela
    ja: 画面, ページ
""")

# What must pass although it holds something of the lists above.
FALSE_FRIENDS = listed("""
    sexual: food porn, earth porn, quit porn, quitting porn, stop watching porn, porn block*, porn filter*
    sexual: porn addiction, porn free, no porn, block porn, blocks porn, pornhub block*, pornography block*
    sexual: pornographic content filter*, nsfw filter, nsfw blocker, nsfw warning, no nsfw, not nsfw, nudes color*
    sexual: nudes colour*, nudes palette*, nudes lipstick*, nudes eyeshadow*, same sex game*, undress her doll*
    sexual: revenge porn help*, stop revenge porn, report revenge porn, against revenge porn, revenge porn law*
    children: csam report*, report csam, csam detect*, csam hotline*
    hate: faggots and peas, faggots and gravy, white power button*, white power bank*, white power cable*
    hate: white power cord*, white power supply, white power supplies, white power strip*, white power switch*
    hate: white power adapter*, white power plug*, white power outlet*, white power led*, white power light*
    hate: space race war*, drag race war*, arms race war*
    harm: suicide prevention, suicide hotline, suicide squad, suicide king*, suicide burn, prévention suicide
    harm: thinspo block*, pro ana recovery, anti pro ana
    weapons: make a bomb defus*, make a bomb dispos*, make a bomb squad*, make a bomb countdown*, make a bomb timer*
    weapons: make a bomb game*, make a bomb party, make a bomb shelter*, make a bomb emoji*, make a bomb icon*
    weapons: build a bomb defus*, build a bomb dispos*, build a bomb squad*, build a bomb countdown*
    weapons: build a bomb timer*, build a bomb game*, build a bomb party, build a bomb shelter*, bath bomb making
    weapons: seed bomb making, glitter bomb making, ghost gun law*, ghost gun ban*
    violence: gore tex, al gore, gore vidal
    harassment: fly swatting, flies swatting, mosquito swatting, bug swatting, wasp swatting, swatting flies
    harassment: swatting mosquito*, swatting bugs, swatting wasps, doxxing prevention, doxxing protection
    harassment: doxxing awareness, doxxing quiz, prevent doxxing, avoid doxxing, anti doxxing, against doxxing
    harassment: stop doxxing, track her phone battery, track his phone battery
    theft: keylogger detect*, keylogger quiz, keylogger awareness, anti keylogger*, password stealer quiz
    theft: password stealer awareness, counterfeit money detect*, counterfeit money quiz, wool carding, carding wool
    theft: fiber carding, fibre carding, carding fiber, carding fibre, drum carding, hand carding
    attacks: deepfake detect*, deepfake quiz, anti ddos, ddos protection, ransomware quiz, spyware quiz
    fraud: phishing quiz, phishing awareness, phishing training, phishing test, phishing detector
    fraud: spot phishing, spot the phishing, avoid phishing, anti phishing, report phishing, recognise phishing
    fraud: recognize phishing
    secrets: credit card payoff, credit card debt, credit card interest, credit card points, credit card rewards
    secrets: public and private key*, private key cryptography, change my password*, change your password*
    secrets: pass words along, pass words around, pass words on, pass words to
    secrets: never collects, never collect, never stores, never steals, does not collect, doesn t collect, not collect
    secrets: without collecting, collect coins, collects coins, log scale, log base
    logins: sign in sheet*, sign in book*
    brands: bank holiday*, piggy bank, blood bank, food bank, word bank, question bank, river bank, power bank
    brands: bank robber*, bank heist, apple pie, apple tree, apple picking, steam train*, steam engine*, steam deck
    brands: visa requirement*, visa countdown, visa application*, visa checklist*, visa interview*, visa appointment*
    brands: visa status, visa expiry, visa free, visa waiver*, visa tracker*, visa type*, visa document*, student visa*
    brands: work visa*, tourist visa*, travel visa*, schengen visa*, amazon river, amazon rainforest, hermes the god
    brands: kraken sea
    brands: fake plastic, fake plant*, official rules, spoof movie, data captures
""")

# What must pass by itself. Beside a brand or a bank these are logins all the same, ...
HARMLESS_LOGINS = (*COUNTED_LOGINS, "daily login")
# ... where they are sent to somebody these are secrets, ...
HARMLESS_SECRETS = listed("""
    any: password generator, passwords generator, password strength, password game, password length, password entropy
    any: password sharing, strong password*, random password*, wifi password, passwort generator
    any: generador de contraseñas, générateur de mot de passe, gerador de senha, gerador de senhas, パスワード生成
""")
# ... and beside a secret these take it.
HARMLESS_MAILS = listed("""
    en: send me a reminder, email me a copy
""")
