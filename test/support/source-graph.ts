import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';

/** A name that a file imports from another file; `*`: all names. */
export interface Use {
  from: string;
  name: string;
  /** `export … from`: a re-export. */
  passedOnAs?: string;
}

export interface SourceFile {
  path: string;
  /** `libs/calls`, `apps/api` or `test`. */
  part: string;
  text: string;
  /** Module specifiers, including types and `import()`. */
  imports: string[];
  /** Specifiers of declarations and types, without `import()`. */
  declared: string[];
  /** Specifiers that are loaded together with the file: neither types nor `import()`. */
  loads: string[];
  uses: Use[];
  exports: string[];
  /** `export * from`. */
  exportsAll: boolean;
}

const FOLDERS = ['apps', 'libs', 'test', 'bench', 'scripts'];

/** All TypeScript sources and scripts of the repository by their paths. */
export function readSources(): Map<string, SourceFile> {
  const paths = [...FOLDERS.flatMap(filesUnder), 'ormconfig.ts'];
  const known = new Set(paths);
  return new Map(paths.map((path) => [path, sourceFile(path, known)]));
}

const filesUnder = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(?:tsx?|mjs)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !/node_modules|\/dist\/|\/generated\//.test(path));

/** Product code: what runs in production. */
export const isProduct = ({ path }: SourceFile): boolean =>
  /^(?:apps|libs)\/[^/]+\/src\//.test(path) && !path.endsWith('.spec.ts');

function sourceFile(path: string, known: ReadonlySet<string>): SourceFile {
  const text = readFileSync(path, 'utf8');
  const tree = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const [top = '', second = ''] = path.split('/');
  const file: SourceFile = {
    path,
    part: top === 'apps' || top === 'libs' ? `${top}/${second}` : top,
    text,
    imports: [],
    declared: [],
    loads: [],
    uses: [],
    exports: [],
    exportsAll: false,
  };
  const visit = (node: ts.Node): void => {
    addImport(file, node, known);
    ts.forEachChild(node, visit);
  };
  visit(tree);
  for (const statement of tree.statements) file.exports.push(...exportedNames(statement));
  return file;
}

function addImport(file: SourceFile, node: ts.Node, known: ReadonlySet<string>): void {
  const specifier = specifierOf(node);
  if (specifier === undefined) return;
  file.imports.push(specifier);
  if (!ts.isCallExpression(node)) file.declared.push(specifier);
  if (isLoaded(node)) file.loads.push(specifier);
  const from = fileOf(file.path, specifier);
  if (!known.has(from)) return;
  if (ts.isExportDeclaration(node)) addPassedOn(file, node, from);
  else for (const name of importedNames(node)) file.uses.push({ from, name });
}

function specifierOf(node: ts.Node): string | undefined {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return textOf(node.moduleSpecifier);
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
    return textOf(node.arguments[0]);
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) return textOf(node.argument.literal);
  return undefined;
}

const textOf = (node: ts.Node | undefined): string | undefined =>
  node && ts.isStringLiteralLike(node) ? node.text : undefined;

/** `import type`, `import { type A }` and `import()` load nothing at the start. */
function isLoaded(node: ts.Node): boolean {
  if (ts.isExportDeclaration(node)) {
    const named = node.exportClause && ts.isNamedExports(node.exportClause) ? node.exportClause.elements : undefined;
    return !node.isTypeOnly && !(named && named.length > 0 && named.every(({ isTypeOnly }) => isTypeOnly));
  }
  if (!ts.isImportDeclaration(node)) return false;
  const clause = node.importClause;
  if (!clause) return true;
  const bindings = clause.namedBindings;
  const named = bindings && ts.isNamedImports(bindings) && !clause.name ? bindings.elements : undefined;
  return clause.phaseModifier !== ts.SyntaxKind.TypeKeyword && !named?.every(({ isTypeOnly }) => isTypeOnly);
}

function addPassedOn(file: SourceFile, node: ts.ExportDeclaration, from: string): void {
  if (!node.exportClause) {
    file.exportsAll = true;
    file.uses.push({ from, name: '*', passedOnAs: '*' });
  } else if (ts.isNamedExports(node.exportClause)) {
    for (const { propertyName, name } of node.exportClause.elements)
      file.uses.push({ from, name: (propertyName ?? name).text, passedOnAs: name.text });
  }
}

function importedNames(node: ts.Node): string[] {
  if (ts.isImportTypeNode(node) && node.qualifier) return [node.qualifier.getText().split('.')[0]!];
  if (!ts.isImportDeclaration(node)) return ['*'];
  const bindings = node.importClause?.namedBindings;
  if (!bindings) return node.importClause ? ['default'] : [];
  return ts.isNamedImports(bindings)
    ? bindings.elements.map(({ propertyName, name }) => (propertyName ?? name).text)
    : ['*'];
}

function exportedNames(statement: ts.Statement): string[] {
  if (ts.isExportDeclaration(statement)) {
    const clause = statement.exportClause;
    return clause && ts.isNamedExports(clause) ? clause.elements.map(({ name }) => name.text) : [];
  }
  const isExported =
    ts.canHaveModifiers(statement) &&
    ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
  if (!isExported) return [];
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.map(({ name }) => name.getText());
  const { name } = statement as unknown as { name?: ts.Identifier };
  return name ? [name.text] : [];
}

/** The file of a module specifier: relative, or a library by its alias. Packages keep their name. */
export function fileOf(importer: string, specifier: string): string {
  const [, lib, part = ''] = /^@app\/([^/]+)(?:\/(.+))?$/.exec(specifier) ?? [];
  if (lib !== undefined) return join('libs', lib, 'src', part, 'index.ts');
  if (!specifier.startsWith('.')) return specifier;
  const path = join(dirname(importer), specifier).replace(/\.js$/, '.ts');
  // Only the console has components.
  return path.startsWith('apps/console/') && existsSync(`${path}x`) ? `${path}x` : path;
}

/** Groups of product files that import each other, types included; `import()` connects files only after both were loaded. */
export function importCycles(sources: ReadonlyMap<string, SourceFile>): string[][] {
  const next = (path: string): string[] =>
    (sources.get(path)?.declared ?? [])
      .map((specifier) => fileOf(path, specifier))
      .filter((target) => sources.has(target) && isProduct(sources.get(target)!));
  const reach = (start: string): Set<string> => {
    const seen = new Set<string>();
    const waiting = next(start);
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      if (seen.has(path)) continue;
      seen.add(path);
      waiting.push(...next(path));
    }
    return seen;
  };
  const reached = new Map([...sources.values()].filter(isProduct).map(({ path }) => [path, reach(path)]));
  const cyclic = [...reached].filter(([path, seen]) => seen.has(path)).map(([path]) => path);
  const groups = new Map<string, string[]>();
  for (const path of cyclic) {
    const group = cyclic.filter((other) => reached.get(path)!.has(other) && reached.get(other)!.has(path));
    groups.set(group.join(), group);
  }
  return [...groups.values()];
}

/** `file#name` of every export of product code that no other file imports. */
export function unusedExports(sources: ReadonlyMap<string, SourceFile>): string[] {
  const used = new Set<string>();
  const mark = (path: string, name: string): void => {
    const key = `${path}#${name}`;
    if (used.has(key)) return;
    used.add(key);
    for (const use of sources.get(path)?.uses ?? [])
      if (use.passedOnAs !== undefined && (use.passedOnAs === name || name === '*' || use.passedOnAs === '*'))
        mark(use.from, use.passedOnAs === '*' ? name : use.name);
  };
  for (const { uses } of sources.values())
    for (const { from, name, passedOnAs } of uses) if (passedOnAs === undefined) mark(from, name);
  return [...sources.values()]
    .filter(isProduct)
    .flatMap(({ path, exports }) => exports.map((name) => ({ path, name })))
    .filter(({ path, name }) => !used.has(`${path}#${name}`) && !used.has(`${path}#*`))
    .map(({ path, name }) => `${path}#${name}`);
}
