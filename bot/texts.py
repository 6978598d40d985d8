"""Every sentence that the bot can say in public, in the languages that it speaks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from guardrails.caps import Cap


class Note(StrEnum):
    """What the bot may have to say beside the reply with an app."""

    NOT_BUILT = "not_built"
    NOT_WORKING = "not_working"
    NOBODY_CAME = "nobody_came"
    GOT_LOST = "got_lost"
    DECLINED = "declined"
    HELP = "help"
    REVISION = "revision"
    SAY_ONLY = "say_only"
    SAME_ASK = "same_ask"
    GOES_ON_AT = "goes_on_at"
    ASK_AFTER = "ask_after"
    IS_WAITING = "is_waiting"
    IS_HELD = "is_held"
    IS_QUEUED = "is_queued"
    IS_BUILDING = "is_building"
    IS_READY = "is_ready"
    IS_OVER = "is_over"
    IS_NOTHING = "is_nothing"
    TAKEN_BACK = "taken_back"
    TRIED_AGAIN = "tried_again"
    NOT_TRIED_AGAIN = "not_tried_again"
    FORGOTTEN = "forgotten"
    REMEMBERED = "remembered"


@dataclass(frozen=True)
class Words:
    """One language. In what it says, `{title}` is the app's, `{reason}` why not in plain words, `{link}` the app's

    address, `{cap}` one of `caps`, and `{hour}` a time of day with its zone.
    """

    ready: str
    untitled: str
    notes: Mapping[Note, str]
    caps: Mapping[Cap, str]


_LANGUAGES: Mapping[str, Words] = MappingProxyType(
    {
        "en": Words(
            ready="{title} is ready: ",
            untitled="Here it is: ",
            notes={
                Note.NOT_BUILT: "I could not build that: {reason}",
                Note.NOT_WORKING: "I tried to build that several times, and it never worked well enough to show. "
                "Sorry!",
                Note.NOBODY_CAME: "Nobody was free to build that in time. Ask me again if you still want it.",
                Note.GOT_LOST: "I lost the build half way, sorry! Ask me again if you still want it.",
                Note.DECLINED: "That is not something I can build.",
                Note.HELP: "Mention me and say what to build, for example “make me a pomodoro timer”. I answer with a "
                "link.",
                Note.REVISION: "I cannot change an app that is built. Mention me again and describe the whole app as "
                "you want it now.",
                Note.SAY_ONLY: "For that, answer me with “{reason}” and no other word.",
                Note.SAME_ASK: "You asked for the same before. Here it is: {link}",
                Note.GOES_ON_AT: "{cap} I carry on with your ask after {hour}.",
                Note.ASK_AFTER: "{cap} Ask me again after {hour}.",
                Note.IS_WAITING: "I have your ask, and have not decided about it yet.",
                Note.IS_HELD: "A person looks at your ask before I build it.",
                Note.IS_QUEUED: "Your ask waits for its turn to be built.",
                Note.IS_BUILDING: "I am building it right now.",
                Note.IS_READY: "It is ready: {link}",
                Note.IS_OVER: "Your last ask is over, and no app came of it.",
                Note.IS_NOTHING: "I know of no ask of yours here.",
                Note.TAKEN_BACK: "Done, that is taken back.",
                Note.TRIED_AGAIN: "All right, I try that once more.",
                Note.NOT_TRIED_AGAIN: "There is nothing here that I could try again.",
                Note.FORGOTTEN: "Done: what you asked is forgotten, and I leave your posts alone. To come back, "
                "mention me with “remember me”.",
                Note.REMEMBERED: "Welcome back! Mention me and say what to build.",
            },
            caps={
                Cap.AUTHOR_HOUR: "That is all I can build for you this hour.",
                Cap.AUTHOR_DAY: "That is all I can build for you today.",
                Cap.AUTHOR_STARTS: "I have tried so much for you today that I stop here.",
                Cap.THREAD_DAY: "That is all I can build in this thread today.",
                Cap.ALL_DAY: "I have been asked for all that I can build today.",
                Cap.AUTHOR_MONEY: "Your builds have used up what I may spend for you today.",
            },
        ),
        "de": Words(
            ready="{title} ist fertig: ",
            untitled="Hier ist es: ",
            notes={
                Note.NOT_BUILT: "Das konnte ich nicht bauen: {reason}",
                Note.NOT_WORKING: "Ich habe es mehrmals versucht, und es wurde nie gut genug. Tut mir leid!",
                Note.NOBODY_CAME: "Es war niemand frei, um das rechtzeitig zu bauen. Frag gern noch einmal.",
                Note.GOT_LOST: "Mir ist der Bau unterwegs verloren gegangen, tut mir leid! Frag gern noch einmal.",
                Note.DECLINED: "Das kann ich nicht bauen.",
                Note.HELP: "Erwähne mich und sag, was ich bauen soll, etwa „einen Pomodoro-Timer“. Ich antworte mit "
                "einem Link.",
                Note.REVISION: "Eine fertige App kann ich nicht ändern. Erwähne mich noch einmal und beschreib die "
                "ganze App, wie sie jetzt sein soll.",
                Note.SAY_ONLY: "Antworte mir dafür mit „{reason}“ und keinem anderen Wort.",
                Note.SAME_ASK: "Danach hast du schon einmal gefragt. Hier ist es: {link}",
                Note.GOES_ON_AT: "{cap} Nach {hour} mache ich mit deinem Wunsch weiter.",
                Note.ASK_AFTER: "{cap} Frag mich nach {hour} noch einmal.",
                Note.IS_WAITING: "Dein Wunsch ist da, ich habe noch nicht darüber entschieden.",
                Note.IS_HELD: "Ein Mensch schaut sich deinen Wunsch an, bevor ich ihn baue.",
                Note.IS_QUEUED: "Dein Wunsch wartet, bis er an der Reihe ist.",
                Note.IS_BUILDING: "Ich baue gerade daran.",
                Note.IS_READY: "Es ist fertig: {link}",
                Note.IS_OVER: "Dein letzter Wunsch ist abgeschlossen, eine App ist nicht daraus geworden.",
                Note.IS_NOTHING: "Ich kenne hier keinen Wunsch von dir.",
                Note.TAKEN_BACK: "Erledigt, das ist zurückgenommen.",
                Note.TRIED_AGAIN: "Gut, ich versuche es noch einmal.",
                Note.NOT_TRIED_AGAIN: "Hier gibt es nichts, was ich noch einmal versuchen könnte.",
                Note.FORGOTTEN: "Erledigt: Deine Wünsche sind vergessen, und ich lasse deine Posts in Ruhe. Zurück "
                "geht es mit einer Erwähnung und „remember me“.",
                Note.REMEMBERED: "Willkommen zurück! Erwähne mich und sag, was ich bauen soll.",
            },
            caps={
                Cap.AUTHOR_HOUR: "Mehr kann ich in dieser Stunde nicht für dich bauen.",
                Cap.AUTHOR_DAY: "Mehr kann ich heute nicht für dich bauen.",
                Cap.AUTHOR_STARTS: "Heute habe ich es für dich so oft versucht, wie ich kann.",
                Cap.THREAD_DAY: "Mehr kann ich heute in diesem Thread nicht bauen.",
                Cap.ALL_DAY: "Für heute ist alles vergeben, was ich bauen kann.",
                Cap.AUTHOR_MONEY: "Was ich heute für dich ausgeben darf, ist aufgebraucht.",
            },
        ),
        "es": Words(
            ready="{title}: ya está lista: ",
            untitled="Aquí está: ",
            notes={
                Note.NOT_BUILT: "No he podido hacerlo: {reason}",
                Note.NOT_WORKING: "Lo he intentado varias veces y nunca ha quedado lo bastante bien. ¡Lo siento!",
                Note.NOBODY_CAME: "Nadie ha podido hacerlo a tiempo. Pídemelo otra vez si aún lo quieres.",
                Note.GOT_LOST: "Se me ha perdido a medio hacer, ¡lo siento! Pídemelo otra vez si aún lo quieres.",
                Note.DECLINED: "Eso no lo puedo hacer.",
                Note.HELP: "Mencióname y di qué quieres, por ejemplo «un temporizador pomodoro». Respondo con un "
                "enlace.",
                Note.REVISION: "No puedo cambiar una app ya hecha. Mencióname otra vez y describe la app entera como "
                "la quieres ahora.",
                Note.SAY_ONLY: "Para eso, respóndeme con «{reason}» y ninguna otra palabra.",
                Note.SAME_ASK: "Ya me pediste lo mismo. Aquí está: {link}",
                Note.GOES_ON_AT: "{cap} Sigo con tu petición después de las {hour}.",
                Note.ASK_AFTER: "{cap} Pídemelo otra vez después de las {hour}.",
                Note.IS_WAITING: "Tengo tu petición y aún no he decidido.",
                Note.IS_HELD: "Una persona mira tu petición antes de que la haga.",
                Note.IS_QUEUED: "Tu petición espera su turno.",
                Note.IS_BUILDING: "La estoy haciendo ahora mismo.",
                Note.IS_READY: "Ya está lista: {link}",
                Note.IS_OVER: "Tu última petición ha terminado sin que saliera ninguna app.",
                Note.IS_NOTHING: "No conozco ninguna petición tuya aquí.",
                Note.TAKEN_BACK: "Hecho, queda retirado.",
                Note.TRIED_AGAIN: "De acuerdo, lo intento otra vez.",
                Note.NOT_TRIED_AGAIN: "Aquí no hay nada que pueda intentar otra vez.",
                Note.FORGOTTEN: "Hecho: he olvidado lo que pediste y dejo en paz tus publicaciones. Para volver, "
                "mencióname con «remember me».",
                Note.REMEMBERED: "¡Hola de nuevo! Mencióname y di qué quieres.",
            },
            caps={
                Cap.AUTHOR_HOUR: "Esta hora no puedo hacer más para ti.",
                Cap.AUTHOR_DAY: "Hoy no puedo hacer más para ti.",
                Cap.AUTHOR_STARTS: "Hoy ya lo he intentado para ti tantas veces como puedo.",
                Cap.THREAD_DAY: "Hoy no puedo hacer más en este hilo.",
                Cap.ALL_DAY: "Hoy ya me han pedido todo lo que puedo hacer.",
                Cap.AUTHOR_MONEY: "Se ha agotado lo que hoy puedo gastar para ti.",
            },
        ),
        "fr": Words(
            ready="{title}, c’est prêt : ",
            untitled="Voilà : ",
            notes={
                Note.NOT_BUILT: "Je n’ai pas pu le faire : {reason}",
                Note.NOT_WORKING: "J’ai essayé plusieurs fois, et ça n’a jamais assez bien marché. Désolé !",
                Note.NOBODY_CAME: "Personne n’était libre à temps. Redemandez-moi si vous le voulez encore.",
                Note.GOT_LOST: "J’ai perdu le travail en route, désolé ! Redemandez-moi si vous le voulez encore.",
                Note.DECLINED: "Ça, je ne peux pas le faire.",
                Note.HELP: "Mentionnez-moi et dites quoi faire, par exemple « un minuteur pomodoro ». Je réponds avec "
                "un lien.",
                Note.REVISION: "Je ne peux pas modifier une appli déjà faite. Mentionnez-moi à nouveau et décrivez "
                "toute l’appli telle que vous la voulez.",
                Note.SAY_ONLY: "Pour cela, répondez-moi par « {reason} », sans autre mot.",
                Note.SAME_ASK: "Vous m’avez déjà demandé la même chose. Voilà : {link}",
                Note.GOES_ON_AT: "{cap} Je reprends votre demande après {hour}.",
                Note.ASK_AFTER: "{cap} Redemandez-moi après {hour}.",
                Note.IS_WAITING: "J’ai votre demande, et je n’ai pas encore décidé.",
                Note.IS_HELD: "Une personne regarde votre demande avant que je la fasse.",
                Note.IS_QUEUED: "Votre demande attend son tour.",
                Note.IS_BUILDING: "J’y travaille en ce moment.",
                Note.IS_READY: "C’est prêt : {link}",
                Note.IS_OVER: "Votre dernière demande est terminée, sans appli.",
                Note.IS_NOTHING: "Je ne connais aucune demande de vous ici.",
                Note.TAKEN_BACK: "C’est fait, tout est retiré.",
                Note.TRIED_AGAIN: "D’accord, j’essaie encore une fois.",
                Note.NOT_TRIED_AGAIN: "Il n’y a rien ici que je puisse réessayer.",
                Note.FORGOTTEN: "C’est fait : vos demandes sont oubliées et je laisse vos posts tranquilles. Pour "
                "revenir, mentionnez-moi avec « remember me ».",
                Note.REMEMBERED: "Bon retour ! Mentionnez-moi et dites quoi faire.",
            },
            caps={
                Cap.AUTHOR_HOUR: "Je ne peux plus rien faire pour vous cette heure-ci.",
                Cap.AUTHOR_DAY: "Je ne peux plus rien faire pour vous aujourd’hui.",
                Cap.AUTHOR_STARTS: "J’ai fait aujourd’hui tous les essais que je peux faire pour vous.",
                Cap.THREAD_DAY: "Je ne peux plus rien faire dans ce fil aujourd’hui.",
                Cap.ALL_DAY: "On m’a déjà demandé aujourd’hui tout ce que je peux faire.",
                Cap.AUTHOR_MONEY: "Ce que je peux dépenser pour vous aujourd’hui est épuisé.",
            },
        ),
        "pt": Words(
            ready="{title}: já está pronto: ",
            untitled="Aqui está: ",
            notes={
                Note.NOT_BUILT: "Não consegui fazer isso: {reason}",
                Note.NOT_WORKING: "Tentei várias vezes e nunca ficou bom o bastante para mostrar. Desculpa!",
                Note.NOBODY_CAME: "Ninguém ficou livre para fazer isso a tempo. Pede de novo se ainda quiseres.",
                Note.GOT_LOST: "Perdi o trabalho a meio, desculpa! Pede de novo se ainda quiseres.",
                Note.DECLINED: "Isso eu não posso fazer.",
                Note.HELP: "Menciona-me e diz o que queres, por exemplo “um temporizador pomodoro”. Respondo com um "
                "link.",
                Note.REVISION: "Não posso mudar um app que já está pronto. Menciona-me de novo e descreve o app "
                "inteiro como o queres agora.",
                Note.SAY_ONLY: "Para isso, responde-me com “{reason}” e mais nenhuma palavra.",
                Note.SAME_ASK: "Já me pediste o mesmo. Aqui está: {link}",
                Note.GOES_ON_AT: "{cap} Continuo com o teu pedido depois das {hour}.",
                Note.ASK_AFTER: "{cap} Pede de novo depois das {hour}.",
                Note.IS_WAITING: "Tenho o teu pedido e ainda não decidi.",
                Note.IS_HELD: "Uma pessoa olha para o teu pedido antes de eu o fazer.",
                Note.IS_QUEUED: "O teu pedido espera pela vez dele.",
                Note.IS_BUILDING: "Estou a fazê-lo agora mesmo.",
                Note.IS_READY: "Está pronto: {link}",
                Note.IS_OVER: "O teu último pedido acabou sem que saísse um app.",
                Note.IS_NOTHING: "Não conheço nenhum pedido teu aqui.",
                Note.TAKEN_BACK: "Feito, está retirado.",
                Note.TRIED_AGAIN: "Está bem, tento outra vez.",
                Note.NOT_TRIED_AGAIN: "Não há aqui nada que eu possa tentar outra vez.",
                Note.FORGOTTEN: "Feito: esqueci o que pediste e deixo os teus posts em paz. Para voltar, menciona-me "
                "com “remember me”.",
                Note.REMEMBERED: "Bem-vindo de volta! Menciona-me e diz o que queres.",
            },
            caps={
                Cap.AUTHOR_HOUR: "Nesta hora não posso fazer mais para ti.",
                Cap.AUTHOR_DAY: "Hoje não posso fazer mais para ti.",
                Cap.AUTHOR_STARTS: "Hoje já tentei por ti tantas vezes quantas posso.",
                Cap.THREAD_DAY: "Hoje não posso fazer mais neste tópico.",
                Cap.ALL_DAY: "Hoje já me pediram tudo o que posso fazer.",
                Cap.AUTHOR_MONEY: "O que hoje posso gastar contigo já se esgotou.",
            },
        ),
        "ja": Words(
            ready="「{title}」ができました: ",
            untitled="できました: ",
            notes={
                Note.NOT_BUILT: "作れませんでした: {reason}",
                Note.NOT_WORKING: "何度か試しましたが、お見せできるものになりませんでした。ごめんなさい。",
                Note.NOBODY_CAME: "時間内に作れませんでした。まだ必要なら、もう一度頼んでください。",
                Note.GOT_LOST: "途中で作業が失われました。ごめんなさい。まだ必要なら、もう一度頼んでください。",
                Note.DECLINED: "それは作れません。",
                Note.HELP: "私をメンションして、作るものを書いてください。"
                "例:「ポモドーロタイマーを作って」。リンクで返事します。",
                Note.REVISION: "できあがったアプリは変更できません。"
                "もう一度メンションして、ほしいアプリの全体を書いてください。",
                Note.SAY_ONLY: "それには「{reason}」とだけ返信してください。",
                Note.SAME_ASK: "同じものを前にも頼まれています。こちらです: {link}",
                Note.GOES_ON_AT: "{cap}{hour}を過ぎたら続けます。",
                Note.ASK_AFTER: "{cap}{hour}を過ぎたら、もう一度頼んでください。",
                Note.IS_WAITING: "受け取りました。まだ判断していません。",
                Note.IS_HELD: "作る前に、人が確認します。",
                Note.IS_QUEUED: "順番を待っています。",
                Note.IS_BUILDING: "いま作っています。",
                Note.IS_READY: "できています: {link}",
                Note.IS_OVER: "前回のご依頼は終わりましたが、アプリはできませんでした。",
                Note.IS_NOTHING: "ここにはあなたからの依頼がありません。",
                Note.TAKEN_BACK: "取り消しました。",
                Note.TRIED_AGAIN: "わかりました。もう一度試します。",
                Note.NOT_TRIED_AGAIN: "ここには、もう一度試せるものがありません。",
                Note.FORGOTTEN: "ご依頼の内容を忘れました。"
                "今後あなたの投稿には関わりません。戻るには「remember me」とメンションしてください。",
                Note.REMEMBERED: "おかえりなさい! メンションして、作るものを書いてください。",
            },
            caps={
                Cap.AUTHOR_HOUR: "この1時間に作れるのはここまでです。",
                Cap.AUTHOR_DAY: "今日作れるのはここまでです。",
                Cap.AUTHOR_STARTS: "今日あなたのために試せる回数を使い切りました。",
                Cap.THREAD_DAY: "このスレッドで今日作れるのはここまでです。",
                Cap.ALL_DAY: "今日作れる分はすべて受け付けました。",
                Cap.AUTHOR_MONEY: "今日あなたのために使える予算を使い切りました。",
            },
        ),
    }
)
LANGUAGES = tuple(_LANGUAGES)


def language_of(langs: Sequence[str]) -> str:
    """The language to answer in: the first of the post's that the bot speaks, else English."""
    spoken = (lang.split("-")[0].lower() for lang in langs)
    return next((lang for lang in spoken if lang in _LANGUAGES), "en")


def words(lang: str) -> Words:
    """What the bot says in a language that it speaks."""
    return _LANGUAGES[lang]
