// @ts-check
// Reads the options of calls, as their interfaces and doc comments describe them.
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

/**
 * @typedef {object} Option - of a call
 * @property {string} name
 * @property {string} group - the interface or type that declares it
 * @property {string} about - what the doc comment of that says
 * @property {string} type - as it is declared
 * @property {string} text - what it does
 * @property {string | undefined} fallback - its default
 * @property {boolean} isRequired
 */

const root = fileURLToPath(new URL("../../", import.meta.url));
const files = [
  "src/index.ts",
  "packages/bulk/src/index.ts",
  "packages/backup/src/index.ts",
  "packages/devnet/src/options.ts",
];
const { config } = ts.readConfigFile(`${root}tsconfig.json`, ts.sys.readFile);
const { options: settings } = ts.parseJsonConfigFileContent({ ...config, files, include: [] }, ts.sys, root);
const program = ts.createProgram(
  files.map((path) => root + path),
  settings,
);
const checker = program.getTypeChecker();

/** Lists the calls of the SDK that take options. */
export function readCalls() {
  const entry = program.getSourceFile(`${root}src/index.ts`);
  const module = entry && checker.getSymbolAtLocation(entry);
  return (module ? checker.getExportsOfModule(module) : []).flatMap((exported) => {
    const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
    const { name, valueDeclaration: node } = symbol;
    const options = node && ts.isFunctionDeclaration(node) ? listOptions(symbol) : [];
    if (!node || options.length === 0) return [];
    return [{ name, file: relative(root, node.getSourceFile().fileName), text: readText(symbol), options }];
  });
}

/**
 * Reads one option of an interface or a type of any package.
 *
 * @param {string} group
 * @param {string} name
 */
export function readOption(group, name) {
  const statements = program.getSourceFiles().flatMap((source) => source.statements);
  const declaration = statements.find((each) => isGroup(each) && each.name.text === group);
  const node = declaration && findProperty(declaration, name);
  if (!node) throw new Error(`There is no option ${name} of ${group}`);
  return toOption(node, !node.questionToken);
}

/**
 * @param {ts.Node} node
 * @param {string} name
 * @returns {ts.PropertySignature | undefined}
 */
function findProperty(node, name) {
  if (isUsable(node)) return node.name.getText() === name ? node : undefined;
  return ts.forEachChild(node, (child) => findProperty(child, name));
}

/**
 * Lists the options of all overloads of a call, and of all members of their unions.
 *
 * @param {ts.Symbol} call
 */
function listOptions(call) {
  const signatures = checker.getTypeOfSymbol(call).getCallSignatures();
  const parameters = signatures.flatMap((each) => each.parameters.find(({ name }) => name === "options") ?? []);
  const types = parameters.map((parameter) => checker.getNonNullableType(checker.getTypeOfSymbol(parameter)));
  const members = types.flatMap((type) => (type.isUnion() ? type.types : [type]));
  /** @type {Map<string, ts.PropertySignature[]>} */
  const found = new Map();
  for (const property of members.flatMap((member) => checker.getPropertiesOfType(member))) {
    const node = property.declarations?.find(isUsable);
    if (node) found.set(property.name, [...(found.get(property.name) ?? []), node]);
  }
  return [...found.values()].flatMap((nodes) => {
    const isRequired = nodes.length === members.length && nodes.every(({ questionToken }) => !questionToken);
    const [first, ...more] = [...new Set(nodes)].map((node) => toOption(node, isRequired));
    return first ? [more.reduce(unite, first)] : [];
  });
}

/**
 * Describes an option that members of a union declare differently.
 *
 * @param {Option} known
 * @param {Option} other
 */
function unite(known, other) {
  const type = known.type === other.type ? known.type : `${known.type} | ${other.type}`;
  const text = known.text.includes(other.text) ? known.text : `${known.text} ${other.text}`;
  return { ...known, type, text, fallback: known.fallback ?? other.fallback };
}

/**
 * Whether this is an option that may have a value: types that exclude each other declare the others' options as
 * `undefined`.
 *
 * @param {ts.Node} node
 * @returns {node is ts.PropertySignature}
 */
function isUsable(node) {
  return ts.isPropertySignature(node) && node.type !== undefined && node.type.getText() !== "undefined";
}

/**
 * @param {ts.Node} node
 * @returns {node is ts.InterfaceDeclaration | ts.TypeAliasDeclaration}
 */
function isGroup(node) {
  return ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node);
}

/**
 * @param {ts.PropertySignature} node
 * @param {boolean} isRequired
 * @returns {Option}
 */
function toOption(node, isRequired) {
  const group = ts.findAncestor(node, isGroup);
  const tag = ts.getJSDocTags(node).find(({ tagName }) => tagName.text === "default");
  const type = node.type?.getText().replace(/\/\*.*?\*\//gs, "") ?? "";
  return {
    name: node.name.getText(),
    group: group?.name.text ?? "",
    about: group ? readText(checker.getSymbolAtLocation(group.name)) : "",
    type: flatten(type)
      .replace(/^\| | \| undefined$/g, "")
      .replace(/^\((.*=>.*)\)$/, "$1"),
    text: readText(checker.getSymbolAtLocation(node.name)),
    fallback: tag && flatten(ts.getTextOfJSDocComment(tag.comment) ?? ""),
    isRequired,
  };
}

/** @param {ts.Symbol | undefined} symbol */
function readText(symbol) {
  return flatten(ts.displayPartsToString(symbol?.getDocumentationComment(checker)));
}

/**
 * Makes one line of a text, with names for its links.
 *
 * @param {string} text
 */
function flatten(text) {
  return text
    .replace(/\{@link (\w+)\s*\}/g, "`$1`")
    .replace(/\s+/g, " ")
    .trim();
}
