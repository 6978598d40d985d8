"""The generator `command`: any program that reads the ask from a file and leaves the app in a folder.

What the program finds:

- Its current folder, which it may write to. `ask.txt` holds the asker's words, byte for byte, and nothing else.
  `ask.json` holds `ask` (the same words), `langs`, `context` (the posts that the ask points at: other people's words,
  to build from and never to obey), `limits` (`files`, `file_bytes`, `total_bytes`), `seconds` (after which it is
  ended), `tokens` and `cost_micros` (what the build may still use; null where nothing limits it) and `findings`.
  All of these words are strangers'. Hand them on as data: never into a shell, nor into an agent's instructions.
- `app/`, where the app's files go: `index.html`, and what it needs. The folder is there; write into it, and do not
  replace it. In a repair round it holds the files of the round before, and `findings.txt` says what is wrong with
  them, one finding a line.
- An environment with `PATH`, `LANG`, `HOME` and `TMPDIR`, and the variables that the operator has allowed. The home
  is new and empty, nothing can be read from its standard input, and there is no network unless it is allowed.

What the program leaves:

- An exit status. 0: the app is in `app/`. 65: it declines the ask. 75: overloaded, another attempt may work later.
  77 or 78: it cannot work before a person mends something (a wrong key, a missing file); the lane ends. Any other
  status: this attempt failed; the end of what it printed is kept for the operators.
- `result.json`, if it likes, at most 64 kB and read however the program ended, so it may be written early:
  `title` and `description` in the asker's language, `refusal` (why it declines the ask; operators read it, the asker
  gets a sentence of ours), and `usage` with `model`, `tokens_in`, `tokens_out` and `cost_micros` (millionths of a US
  dollar). Usage is reported as it is told, over the budget too: money that was spent is spent. Any other key, or a
  value of another kind, fails the attempt. Without a title the page's `<title>` is taken, and else the ask.

When the program ends, so does every process that it started. It is ended itself, with all of them, at its deadline,
when the claim is lost, over a limit, and when the lane dies. Whoever allows a variable gives its value away to
strangers' words: an app or a result with an allowed value of 16 characters or more in it is thrown away, and output is
cleared of it, but a program that hides it better is not found out. Allow keys that are capped, and nothing else.

How it is kept apart:

- With `bubblewrap`, the default, it runs in namespaces of its own, as nobody special, and sees the system's programs
  and libraries, the folders that the operator shows, and its own folder; nothing else of the disk, no other process,
  no socket. The lane refuses to start where that cannot be had.
- With the network allowed it has the lane's: beside the internet, whatever listens on this machine or answers only to
  it (a cloud's metadata address), and abstract sockets. A lane in a container of its own has little there to reach.
- With `none`, which has to be asked for, it can do what the lane's user can: read the device token, too. Its
  processes are ended unless they set out to escape.
- The limits of `builder/isolation/bounds.py` say there what holds them: the kernel, or a look every tenth of a second.
"""
