"""What is not built, as lists: the built-in rules that operators add to.

An entry is a word or a phrase; `*` stands for the rest of a word. A list is meant to catch the plain cases in the
bot's six languages at no cost; the moderation service, where there is one, judges the rest.
"""

REFUSED = (
    # sexual content
    *("porn*", "*pornos", "nudify*", "undress her", "undressing her", "undress people", "undress photos"),
    *("nude photos", "nude pics", "nudes", "nackte frauen", "hentai", "erotic game", "erotic chat", "strip poker"),
    *("sex game", "sex chat", "sex simulator", "sexting", "camgirl*", "blowjob*", "dick pic*", "revenge porn"),
    *("mujeres desnudas", "mulheres nuas", "femmes nues", "ポルノ", "エロゲ", "アダルト動画"),
    # children
    *("child porn*", "kinderporn*", "csam", "lolicon", "shotacon", "jailbait", "児童ポルノ"),
    # hate
    *("nigger*", "faggot*", "white power", "heil hitler", "sieg heil", "gas the jews", "kill all jews"),
    *("kill all muslims", "kill all gays", "race war", "white genocide"),
    # harm to oneself and others
    *("how to kill myself", "how to kill yourself", "ways to kill myself", "suicide method*", "pro ana", "thinspo*"),
    *("build a bomb", "make a bomb", "bomb making", "pipe bomb*", "nail bomb*", "bombe bauen", "fabricar una bomba"),
    *("fabriquer une bombe", "fazer uma bomba", "爆弾の作り方", "nerve agent", "ghost gun*", "3d printed gun*"),
    *("meth recipe", "cook meth", "synthesize meth", "synthesize fentanyl", "school shooting game", "rape game"),
    # harassment
    *("doxx*", "dox people", "dox someone", "swatting", "spy on my wife", "spy on my husband", "spy on my girlfriend"),
    *("spy on my boyfriend", "spy on my ex", "stalk my ex", "stalkerware", "track her phone", "track his phone"),
    # theft and attacks
    *("phishing page*", "phishing site*", "phishing kit*", "phishing form*", "phishing link*", "phishing mail*"),
    *("phishing seite", "página de phishing", "page de phishing", "フィッシングサイト", "keylogger*", "key logger*"),
    *("card skimmer*", "carding", "token grabber*", "cookie stealer*", "password stealer*", "credential stealer*"),
    *("credential stuffing", "account stealer*", "wallet drainer*", "crypto drainer*", "fork bomb*", "cryptojack*"),
    *("ddos tool", "ddos attack on", "ddos someone", "ddos button", "stresser", "booter", "fake virus alert*"),
    *("tech support scam", "counterfeit money", "fake passport*", "fake drivers license*", "fake driving licen*"),
)

HELD = (
    *("nsfw", "deepfake*", "deep fake*", "gore", "beheading*", "school shooting*", "mass shooting*"),
    *("suicide", "selbstmord", "suicidio", "suicídio", "自殺", "self harm*", "selfharm*"),
    *("ransomware", "spyware", "botnet*", "ddos", "hack into", "hack someone*", "hack accounts", "crack passwords"),
    *("phishing", "fake id", "fake ids", "fake tweet*", "fake screenshot*", "fake receipt*", "fake review*"),
    *("full lyrics", "complete lyrics", "real money casino", "real money gambling"),
)

BRANDS = (
    # money
    *("paypal", "venmo", "cash app", "zelle", "revolut", "n26", "stripe", "western union", "klarna", "mastercard"),
    *("visa", "american express", "amex", "wells fargo", "bank of america", "citibank", "capital one", "hsbc"),
    *("barclays", "lloyds", "natwest", "santander", "bbva", "nubank", "itau", "bradesco", "sparkasse", "volksbank"),
    *(
        "commerzbank",
        "deutsche bank",
        "postfinance",
        "credit agricole",
        "bnp paribas",
        "societe generale",
        "chase bank",
    ),
    *(
        "coinbase",
        "binance",
        "kraken",
        "metamask",
        "trezor",
        "opensea",
        "phantom wallet",
        "trust wallet",
        "ledger wallet",
    ),
    # accounts
    *("google", "gmail", "youtube", "apple", "icloud", "microsoft", "outlook", "office 365", "hotmail", "yahoo"),
    *("facebook", "instagram", "whatsapp", "twitter", "tiktok", "snapchat", "linkedin", "discord", "telegram"),
    *("reddit", "twitch", "bluesky", "bsky", "github", "steam", "roblox", "epic games", "fortnite", "minecraft"),
    *("netflix", "spotify", "disney plus", "dropbox", "docusign", "amazon", "ebay", "etsy", "rakuten", "mercari"),
    # parcels and offices
    *("dhl", "fedex", "usps", "royal mail", "dpd", "hermes", "correos", "la poste", "correios", "hmrc", "irs"),
    *("楽天", "メルカリ", "三菱ufj", "みずほ銀行", "三井住友銀行", "ゆうちょ"),
)

# Sorts of brands, where a login makes them one.
INSTITUTIONS = ("*bank", "*banking", "*banco", "*banque", "credit union", "caixa", "*銀行", "crypto wallet", "webmail")

LOGINS = (
    *("login", "logins", "log in", "logon", "log on", "signin", "sign in", "login page", "signin page"),
    *("anmeldeseite", "anmeldemaske", "anmeldung", "einloggen", "iniciar sesión", "inicio de sesión"),
    *("page de connexion", "se connecter", "connexion à", "identifiant*", "página de entrada", "fazer login"),
    *("verify your account", "account verification", "unlock your account", "ログイン", "サインイン"),
)

LOGIN_FORMS = (
    *("login page", "login form", "login screen", "log in page", "log in form", "log in screen", "sign in page"),
    *("sign in form", "sign in screen", "signin page", "signin form", "anmeldeseite", "anmeldemaske", "login seite"),
    *("página de inicio de sesión", "formulario de inicio de sesión", "página de login", "tela de login"),
    *("page de connexion", "formulaire de connexion", "ログイン画面", "ログインページ"),
)

SECRETS = (
    *("password", "passwords", "passwort", "passwörter", "passphrase", "passcode", "contraseña", "contraseñas"),
    *("mot de passe", "mots de passe", "senha", "senhas", "パスワード", "暗証番号", "pin code", "pin number"),
    *("credentials", "login data", "logindaten", "zugangsdaten", "one time code*", "2fa code*", "otp code*"),
    *("credit card", "credit cards", "card number*", "kreditkarte*", "tarjeta de crédito", "carte bancaire"),
    *("cartão de crédito", "クレジットカード", "cvv", "cvc", "bank details", "bankdaten", "social security number*"),
    *("ssn", "passport number*", "app password*"),
)

WALLET_SECRETS = (
    *("seed phrase*", "recovery phrase*", "secret phrase", "mnemonic phrase", "private key*", "wallet key*"),
    *("frase semilla", "frase semente", "phrase de récupération", "シードフレーズ", "秘密鍵"),
)

# To somebody else: what a page that is made to take secrets does with them.
TAKING = (
    *("mails me", "mail me", "mails it to me", "emails me", "email me", "emails it to me", "mails them to me"),
    *("e mails me", "e mail me", "sends me", "send me", "sends it to me", "sends them to me", "send it to me"),
    *(
        "send them to me",
        "sent to me",
        "texts me",
        "dms me",
        "dm me",
        "forwards it to",
        "forwards them to",
        "to my server",
    ),
    *("to my discord", "to my webhook", "to a webhook", "to my telegram", "to my email", "to my e mail", "to my inbox"),
    *("so i can see", "so i get", "schickt mir", "mir schickt", "sendet mir", "mir sendet", "mir mailt", "mailt mir"),
    *("me envía", "me envíe", "me manda", "envíame", "m envoie", "m envoyer", "me envoie", "me envia", "me mande"),
    *("私に送", "に送信"),
)

KEEPING = (
    *("steal", "steals", "stealing", "harvest", "harvests", "harvesting", "captures", "capturing", "grabs", "collect"),
    *("collects", "collecting", "stiehlt", "klaut", "robar", "roba", "voler", "vole", "roubar", "rouba", "盗"),
    *("save", "saves", "store", "stores", "keep", "keeps", "log", "logs", "record", "records", "remember", "asks for"),
    *("ask for", "enter your", "enter their", "type their", "type your", "speichert", "speichern", "guarda", "guardar"),
    *("enregistre", "enregistrer", "salva", "salvar", "保存", "入力"),
)

ENTERING = (
    *("enter", "enters", "entering", "type", "paste", "import", "connect", "restore", "recover", "verify", "validate"),
    *("check", "checks", "checker", "eingeben", "prüfen", "introduce", "introducir", "verificar", "saisir", "entrer"),
    *("vérifier", "digite", "digitar", "inserir", "入力", "確認"),
)

IMITATING = (
    *("fake", "official", "replica", "exact copy", "perfect copy", "identical to", "looks like", "look like", "clone"),
    *("looks just like", "looks exactly like", "indistinguishable", "impersonat*", "pretend to be", "pretends to be"),
    *("posing as", "pose as", "spoof*", "gefälschte*", "sieht aus wie", "aussieht wie", "nachmachen", "offizielle*"),
    *("falso", "falsa", "oficial", "idéntica a", "igual que", "faux", "fausse", "officiel*", "identique à", "igual ao"),
    *("igual à", "偽", "公式", "そっくり"),
)

# What must pass although it holds something of the lists above.
FALSE_FRIENDS = (
    # of sex and violence
    *("food porn", "earth porn", "quit porn", "quitting porn", "stop watching porn", "porn blocker", "porn addiction"),
    *("porn free", "no porn", "nude palette", "nude lipstick*", "faggots and peas", "faggots and gravy"),
    *("suicide prevention", "suicide hotline", "suicide squad", "suicide king*", "suicide burn", "prévention suicide"),
    *("nsfw filter", "nsfw blocker", "nsfw warning", "no nsfw", "not nsfw", "gore tex", "al gore"),
    *("deepfake detect*", "deepfake quiz", "anti ddos", "ddos protection", "ransomware quiz", "spyware quiz"),
    *(
        "phishing quiz",
        "phishing awareness",
        "phishing training",
        "phishing game",
        "spot the phishing",
        "spot phishing",
    ),
    *("avoid phishing", "anti phishing", "phishing test", "phishing detector", "report phishing", "recognise phishing"),
    *("recognize phishing", "defuse a bomb", "bath bomb*"),
    # of secrets
    *(
        "password generator",
        "passwords generator",
        "password strength",
        "password game",
        "password length",
        "passwort generator",
    ),
    *("password entropy", "password sharing", "strong password*", "random password*", "generador de contraseñas"),
    *("générateur de mot de passe", "gerador de senha", "gerador de senhas", "パスワード生成", "wifi password"),
    *("credit card payoff", "credit card debt", "credit card interest", "credit card points", "credit card rewards"),
    *("public and private key*", "private key cryptography", "log scale", "log base", "math log"),
    # of logins and brands
    *("login streak*", "daily login", "login bonus", "log in streak", "login counter", "bank holiday*", "piggy bank"),
    *(
        "blood bank",
        "food bank",
        "word bank",
        "question bank",
        "river bank",
        "power bank",
        "bank robber*",
        "bank heist",
    ),
    *("apple pie", "apple tree", "apple picking", "steam train*", "steam engine*", "steam deck", "visa requirement*"),
    *(
        "visa countdown",
        "chase game",
        "amazon river",
        "amazon rainforest",
        "hermes the god",
        "kraken sea",
        "general ledger",
    ),
    *("fake plastic", "fake plant*", "official rules", "spoof movie", "data captures"),
    # that nobody takes back
    *("never collects", "never collect", "never stores", "never steals", "never sends", "does not collect"),
    *(
        "doesn t collect",
        "not collect",
        "without collecting",
        "nothing is collected",
        "collect coins",
        "collects coins",
    ),
    *("send me a reminder", "email me a copy"),
)
