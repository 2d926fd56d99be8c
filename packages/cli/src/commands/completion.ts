import { UsageError } from "../frame/failure.ts";
import type { Invocation } from "../frame/invocation.ts";

export async function completion({ argument, output }: Invocation): Promise<void> {
  const shell = shells.find((each) => each === argument("shell"));
  if (!shell) throw new UsageError(`There are completions for ${shells.join(", ")}`);
  const script = shell === "bash" ? BASH : await captureScript(shell);
  output.result({ script }, script.trimEnd(), script.trimEnd(), "verbatim");
}

const shells = ["bash", "zsh", "fish", "powershell"] as const;

/** Unlike the library's, it evaluates nothing that was typed, and does not require the package bash-completion. */
const BASH = `# bash completion for keeplight
_keeplight() {
  local current=\${COMP_WORDS[COMP_CWORD]} directive=4 value rest
  COMPREPLY=()
  while IFS=$'\\t' read -r value rest; do
    case $value in
      :[0-9]*) directive=\${value#:} ;;
      "$current"*) COMPREPLY+=("$value") ;;
    esac
  done < <(keeplight complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  case $directive in
    0) compopt -o default ;;
    16) compopt -o dirnames ;;
  esac
} 2>/dev/null
complete -F _keeplight keeplight
`;

/** The library prints its script, which calls `keeplight complete -- <words>`. */
async function captureScript(shell: string): Promise<string> {
  const { script } = await import("@bomb.sh/tab");
  const printed: string[] = [];
  const { log } = globalThis.console;
  globalThis.console.log = (text: string) => void printed.push(text);
  try {
    script(shell, "keeplight", "keeplight");
  } finally {
    globalThis.console.log = log;
  }
  return `${printed.join("\n")}\n`;
}
