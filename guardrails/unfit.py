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
    hate: kill all gays, race war, white genocide
    harm: how to kill myself, how to kill yourself, ways to kill myself, suicide method*, pro ana, thinspo*
    weapons: build a bomb, make a bomb, bomb making, pipe bomb*, nail bomb*, nerve agent, ghost gun*, 3d printed gun*
    weapons: bombe bauen, fabricar una bomba, fabriquer une bombe, fazer uma bomba, 爆弾の作り方
    violence: school shooting game, rape game
    drugs: meth recipe, cook meth, synthesize meth, synthesize fentanyl
    harassment: doxx*, dox people, dox someone, swatting, spy on my wife, spy on my husband, spy on my girlfriend
    harassment: spy on my boyfriend, spy on my ex, stalk my ex, stalkerware, track her phone, track his phone
    theft: phishing page*, phishing site*, phishing kit*, phishing form*, phishing link*, phishing mail*
    theft: phishing seite, página de phishing, page de phishing, フィッシングサイト, keylogger*, key logger*
    theft: card skimmer*, carding, token grabber*, cookie stealer*, password stealer*, credential stealer*
    theft: credential stuffing, account stealer*, wallet drainer*, crypto drainer*, steal passwords, steals passwords
    theft: steal card*, steals card*, steal credit card*, steals credit card*, counterfeit money, fake passport*
    theft: fake drivers license*, fake driving licen*, fake virus alert*, tech support scam
    attacks: ddos tool, ddos attack on, ddos someone, ddos button, stresser, booter, fork bomb*, cryptojack*
""")

HELD = listed("""
    sexual, violence: nsfw, deepfake*, deep fake*, gore, beheading*, school shooting*, mass shooting*
    harm: suicide, selbstmord, suicidio, suicídio, 自殺, self harm*, selfharm*
    attacks: ransomware, spyware, botnet*, ddos, hack into, hack someone*, hack accounts, crack passwords
    fraud: phishing, fake id, fake ids, fake tweet*, fake screenshot*, fake receipt*, fake review*
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
    en: sign in screen, signin page, signin form
    de: anmeldeseite, anmeldemaske, login seite
    es: página de inicio de sesión, formulario de inicio de sesión
    fr: page de connexion, formulaire de connexion
    pt: página de login, tela de login
    ja: ログイン画面, ログインページ
""")

SECRETS = listed("""
    en: password, passwords, passphrase, passcode, pin code, pin number, credentials, login data, one time code*
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

# What must pass although it holds something of the lists above.
FALSE_FRIENDS = listed("""
    sexual: food porn, earth porn, quit porn, quitting porn, stop watching porn, porn blocker, porn addiction
    sexual: porn free, no porn, nsfw filter, nsfw blocker, nsfw warning, no nsfw, not nsfw
    hate: faggots and peas, faggots and gravy
    harm: suicide prevention, suicide hotline, suicide squad, suicide king*, suicide burn, prévention suicide
    violence: gore tex, al gore
    attacks: deepfake detect*, deepfake quiz, anti ddos, ddos protection, ransomware quiz, spyware quiz
    fraud: phishing quiz, phishing awareness, phishing training, phishing test, phishing detector
    fraud: spot phishing, spot the phishing, avoid phishing, anti phishing, report phishing, recognise phishing
    fraud: recognize phishing
    secrets: password generator, passwords generator, password strength, password game, password length
    secrets: password entropy, password sharing, strong password*, random password*, wifi password
    secrets: passwort generator, generador de contraseñas, générateur de mot de passe, gerador de senha
    secrets: gerador de senhas, パスワード生成, credit card payoff, credit card debt, credit card interest
    secrets: credit card points, credit card rewards, public and private key*, private key cryptography
    secrets: never collects, never collect, never stores, never steals, does not collect, doesn t collect, not collect
    secrets: without collecting, collect coins, collects coins, log scale, log base, send me a reminder
    secrets: email me a copy
    logins: login streak*, log in streak, daily login, login bonus, login counter
    brands: bank holiday*, piggy bank, blood bank, food bank, word bank, question bank, river bank, power bank
    brands: bank robber*, bank heist, apple pie, apple tree, apple picking, steam train*, steam engine*, steam deck
    brands: visa requirement*, visa countdown, visa application*, visa checklist*, visa interview*, visa appointment*
    brands: visa status, visa expiry, visa free, visa waiver*, visa tracker*, visa type*, visa document*, student visa*
    brands: work visa*, tourist visa*, travel visa*, schengen visa*, amazon river, amazon rainforest, hermes the god
    brands: kraken sea
    brands: fake plastic, fake plant*, official rules, spoof movie, data captures
""")
