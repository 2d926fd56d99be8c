"""Runs a command in a pseudo-terminal. Reads {argv, env, cwd, columns, rows, steps} as JSON from standard input; each
step waits for a text and then sends another one. Prints {output, code} as JSON."""
import fcntl, json, os, pty, select, struct, sys, termios

job = json.load(sys.stdin)
pid, terminal = pty.fork()
if pid == 0:
    os.chdir(job["cwd"])
    os.execvpe(job["argv"][0], job["argv"], job["env"])
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", job["rows"], job["columns"], 0, 0))
output, seen, steps = b"", 0, list(job["steps"])
while True:
    if steps and steps[0]["wait"].encode() in output[seen:]:
        step = steps.pop(0)
        seen = len(output)
        os.write(terminal, step["send"].encode())
        continue
    ready, _, _ = select.select([terminal], [], [], 50)
    if not ready:
        os.kill(pid, 9)
        break
    try:
        chunk = os.read(terminal, 65536)
    except OSError:
        break
    if not chunk:
        break
    output += chunk
_, status = os.waitpid(pid, 0)
print(json.dumps({"output": output.decode("utf8", "replace"), "code": os.waitstatus_to_exitcode(status), "left": len(steps)}))
