import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';
import { isProduct, readSources, type SourceFile } from '../support/source-graph.js';

/** A file that names tables of other libraries, and what it cannot do without. */
interface Exception {
  file: string;
  tables: string;
  why: string;
}

/**
 * The statements that name tables of other libraries. Another feature asks the owner's service or repository; only what must join or write
 * several features in one round trip stays, in a file of its own that says why.
 */
const EXCEPTIONS: Exception[] = [
  {
    file: 'libs/accounts/src/records/calls-in-progress.repository.ts',
    tables: 'calls daily_spend dialers',
    why: 'calls are above accounts: what they use is found in the transaction that deletes it, and an account is shown with its usage in one round trip',
  },
  {
    file: 'libs/accounts/src/storage-quota.repository.ts',
    tables: 'calls knowledge_bases',
    why: 'files and their counter are added up in one snapshot; calls and knowledge are above accounts',
  },
  {
    file: 'libs/audit/src/people.repository.ts',
    tables: 'sessions',
    why: 'people whom a session names stay, in the statement that deletes the others; sessions are above audit',
  },
  {
    file: 'libs/auth/src/sign-in/sessions.repository.ts',
    tables: 'sign_in_settings people accounts',
    why: 'requests wait for the look-up: 0.13 ms instead of 0.31 ms in four; every statement decides by the settings of the account whether a session lives',
  },
  {
    file: 'libs/auth/src/tokens.repository.ts',
    tables: 'accounts',
    why: 'requests wait for the look-up, which reads the limit of the account: 0.11 ms instead of 0.17 ms in two',
  },
  {
    file: 'libs/calls/src/call-creation.repository.ts',
    tables:
      'agent_versions knowledge_base_agents knowledge_bases tool_agents tools accounts agents phone_numbers sip_trunks',
    why: 'calls are created in one round trip after one that reads everything that they depend on',
  },
  {
    file: 'libs/calls/src/call-list.repository.ts',
    tables: 'call_search',
    why: 'the words of transcripts are one of the conditions of the list of calls, which one statement must plan together',
  },
  {
    file: 'libs/calls/src/compliance/begin-dial.repository.ts',
    tables: 'campaigns accounts',
    why: 'an INVITE waits for the decision, which must see limits and campaign in the state in which the call is marked',
  },
  {
    file: 'libs/calls/src/progress/analytics-row.repository.ts',
    tables: 'analytics_calls',
    why: 'parts of the statements that end calls and analyses: every ended call is counted once',
  },
  {
    file: 'libs/calls/src/progress/call-context.repository.ts',
    tables:
      'knowledge_base_agents knowledge_bases tool_agents tools agents phone_numbers accounts sip_trunks agent_versions',
    why: 'a claimed call, and a transfer, waits for one statement instead of eight',
  },
  {
    file: 'libs/calls/src/progress/call-end.repository.ts',
    tables: 'call_analyses agents agent_versions',
    why: 'split by owner, the statement takes 1.5 times as long, and its transaction 1.2 to 1.3 times',
  },
  {
    file: 'libs/calls/src/queue/call-claims.repository.ts',
    tables: 'accounts sip_trunks',
    why: 'limits are counted against the calls under the lock of each claim',
  },
  {
    file: 'libs/calls/src/queue/inbound-calls.repository.ts',
    tables: 'accounts sip_trunks phone_numbers agents',
    why: 'a caller waits: number, agent and room are one round trip each',
  },
  {
    file: 'libs/calls/src/queue/web-claims.repository.ts',
    tables: 'accounts',
    why: 'the limits of the account decide under its lock, while the page of a web call waits',
  },
  {
    file: 'libs/calls/src/queue/overdue-calls.repository.ts',
    tables: 'agents agent_versions',
    why: 'each dialer polls when its calls are overdue, which the limits of their agents decide',
  },
  {
    file: 'libs/calls/src/recordings/expired-transcripts.repository.ts',
    tables: 'webhook_deliveries',
    why: 'calls that wait for deliveries must not take the places of others among the oldest',
  },
  {
    file: 'libs/campaigns/src/campaign-pacing.repository.ts',
    tables: 'calls sip_trunks accounts call_analyses',
    why: 'every turn of a campaign waits for it, under the lock of the campaign',
  },
  {
    file: 'libs/database/src/invariants.repository.ts',
    tables:
      'calls dialers agents agent_versions webhook_streams knowledge_bases tool_invocations accounts webhook_deliveries',
    why: 'what no feature may leave behind, for the doctor and the metrics: one read-only list over all features, in two processes',
  },
  {
    file: 'libs/database/src/record-existence.repository.ts',
    tables: 'accounts knowledge_base_agents',
    why: 'the one look-up of records by key for features below their owners; it reads no content',
  },
  {
    file: 'libs/knowledge/src/embedder-checks/embedder-checks.repository.ts',
    tables: 'agents',
    why: 'agents.knowledge_version decides in the statement that stores a result when the next check is due; agents are above knowledge',
  },
  {
    file: 'libs/knowledge/src/knowledge-chunks.repository.ts',
    tables: 'agents',
    why: 'every change of passages raises agents.knowledge_version under the lock of the agents; agents are above knowledge',
  },
  {
    file: 'libs/knowledge/src/search/knowledge-search.repository.ts',
    tables: 'agents',
    why: 'agents.knowledge_version decides whether the index of a search is current; agents are above knowledge',
  },
  {
    file: 'libs/tools/src/tools.repository.ts',
    tables: 'agents',
    why: 'a test of a tool reads it with the name of its agent, which is above tools',
  },
  {
    file: 'libs/webhooks/src/dispatch/open-deliveries.repository.ts',
    tables: 'calls',
    why: 'while traces are written, dispatchers read the trace of a call with its deliveries: no further round trip',
  },
];

/** Tables that no entity describes, by the library that creates them. */
const WITHOUT_ENTITY: Record<string, string> = {
  // In the database of the vectors, which may be another one than that of the migrations.
  knowledge_vectors: 'knowledge',
};

/** A table or an entity class that a file names. */
interface Named {
  table: string;
  line: number;
}

/** Tables follow these keywords, and each other after commas; an alias may stand between. */
const TABLES =
  /\b(?:FROM|JOIN|INTO|UPDATE|USING|ONLY|TABLE)\s+((?:"?[a-z_]+"?(?:\s+(?:AS\s+)?[a-z]\w*)?(?:\s*,\s*)?)+)/g;

/** A name of WITH, which may be that of a table. */
const WITH = /\b(\w+)\s+(?:\([^()]*\)\s+)?AS\s+(?:(?:NOT\s+)?MATERIALIZED\s*)?\(/g;

/** Entities of tables that only statements use, in a file per library. */
const SCHEMA = /^test\/support\/schema\/([\w-]+)\.schema\.ts$/;

/** The entity classes of a file, with the tables that they describe. */
function entityClasses({ path, text }: SourceFile): { name: string; table: string }[] {
  if (!path.endsWith('.entity.ts') && !SCHEMA.test(path)) return [];
  const classes = ts
    .createSourceFile(path, text, ts.ScriptTarget.Latest, true)
    .statements.filter(ts.isClassDeclaration);
  return classes.flatMap((declaration) =>
    (ts.getDecorators(declaration) ?? []).flatMap(({ expression }) => {
      if (!ts.isCallExpression(expression) || expression.expression.getText() !== 'Entity') return [];
      const [table] = expression.arguments;
      return table && ts.isStringLiteral(table) ? [{ name: declaration.name!.text, table: table.text }] : [];
    }),
  );
}

/** What the SQL of a text names after its keywords, without the names of its own WITH. */
function namesInSql(sql: string): { name: string; index: number }[] {
  const temporary = new Set([...sql.matchAll(WITH)].map(([, name]) => name));
  const named = [...sql.matchAll(TABLES)].flatMap((match) =>
    match[1]!.split(',').map((part) => ({ name: /^\s*"?(\w*)/.exec(part)![1]!, index: match.index })),
  );
  return named.filter(({ name }) => !temporary.has(name));
}

/** The tables that statements of a file name, and those whose entities it imports as values. */
function namedTables({ path, text }: Pick<SourceFile, 'path' | 'text'>): Named[] {
  const tree = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const named: Named[] = [];
  const add = (table: string, position: number) =>
    named.push({ table, line: tree.getLineAndCharacterOfPosition(position).line + 1 });
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node))
      for (const { name, index } of namesInSql(sqlOf(node))) add(name, node.getStart() + index);
    if (ts.isImportSpecifier(node) && !node.isTypeOnly && !isTypeImport(node)) {
      const table = entities.get((node.propertyName ?? node.name).text);
      if (table !== undefined) add(table, node.getStart());
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return named;
}

const isTypeImport = (node: ts.ImportSpecifier): boolean =>
  node.parent.parent.phaseModifier === ts.SyntaxKind.TypeKeyword;

/** The text of a literal with question marks for its `${…}`, which are read by themselves: positions stay those of the file. */
function sqlOf(node: ts.StringLiteralLike | ts.TemplateExpression): string {
  const text = node.getText();
  if (!ts.isTemplateExpression(node)) return text;
  const start = node.getStart();
  let sql = text;
  for (const { expression } of node.templateSpans) {
    const [from, to] = [expression.getFullStart() - start - 2, expression.getEnd() - start + 1];
    sql = sql.slice(0, from) + '?'.repeat(to - from) + sql.slice(to);
  }
  return sql;
}

/** The library of an entity. */
const ownerOf = ({ path, part }: SourceFile): string => {
  const [, lib] = SCHEMA.exec(path) ?? [];
  return lib === undefined ? part : `libs/${lib}`;
};

const sources = [...readSources().values()];
/** The tables by the classes of their entities. */
const entities = new Map(
  sources.flatMap((source) => entityClasses(source).map(({ name, table }) => [name, table] as const)),
);
/** The owner of every table: the library whose entity describes it. */
const owners = new Map([
  ...Object.entries(WITHOUT_ENTITY).map(([table, lib]) => [table, `libs/${lib}`] as const),
  ...sources.flatMap((source) => entityClasses(source).map(({ table }) => [table, ownerOf(source)] as const)),
]);

/** Migrations change what there was at their time. */
const isRead = (source: SourceFile): boolean => isProduct(source) && !source.path.includes('/migrations/');

function foreignTables(source: Pick<SourceFile, 'path' | 'part' | 'text'>): Named[] {
  return namedTables(source).filter(({ table }) => owners.has(table) && owners.get(table) !== source.part);
}

const foreign = sources
  .filter(isRead)
  .flatMap((source) => foreignTables(source).map((named) => ({ ...named, file: source.path })));
const excepted = new Set(
  EXCEPTIONS.flatMap(({ file, tables }) => tables.split(' ').map((table) => `${file} ${table}`)),
);

describe('the owners of tables', () => {
  it('are known for the tables of all features', () => {
    expect(owners.size).toBeGreaterThan(60);
    expect(owners.get('calls')).toBe('libs/calls');
    expect(owners.get('sessions')).toBe('libs/auth');
  });

  it('are the only ones whose statements name them, but for the exceptions above', () => {
    const wrong = foreign.filter(({ file, table }) => !excepted.has(`${file} ${table}`));
    expect(wrong.map(({ file, line, table }) => `${file}:${line} names ${table} of ${owners.get(table)}`)).toEqual([]);
  });

  it('have no exception that no statement needs any more', () => {
    const needed = new Set(foreign.map(({ file, table }) => `${file} ${table}`));
    expect([...excepted].filter((exception) => !needed.has(exception))).toEqual([]);
    expect(EXCEPTIONS.filter(({ why }) => why === '')).toEqual([]);
  });
});

describe('entities', () => {
  it('are asked for by code, but for those in test/support/schema', () => {
    const code = sources.filter(({ path }) => /\.(?:repository|service|presenter)\.ts$/.test(path));
    const classes = sources.filter(isProduct).flatMap(entityClasses);
    expect(classes.length).toBeGreaterThan(20);
    const unused = classes.filter(({ name }) => !code.some(({ text }) => new RegExp(`\\b${name}\\b`).test(text)));
    expect(unused.map(({ name }) => name)).toEqual([]);
  });
});

describe('the reader of statements', () => {
  const found = (text: string) =>
    foreignTables({ path: 'libs/webhooks/src/made-up.repository.ts', part: 'libs/webhooks', text }).map(
      ({ table, line }) => `${table} ${line}`,
    );

  it.each([
    ['a table that is read', '`SELECT id FROM calls WHERE id = $1`', ['calls 1']],
    ['tables that are joined', "'SELECT 1 FROM webhook_hosts h JOIN accounts a ON true'", ['accounts 1']],
    ['tables of a list', "'SELECT 1 FROM webhook_hosts h, calls c, accounts'", ['calls 1', 'accounts 1']],
    [
      'a table that is written',
      "'INSERT INTO calls (id) VALUES (1)' + 'UPDATE ONLY agents SET name = 1'",
      ['calls 1', 'agents 1'],
    ],
    ['tables that a deletion uses', "'DELETE FROM webhook_hosts USING accounts a WHERE a.id = 1'", ['accounts 1']],
    ['a part of a statement', 'const join = `\n LEFT JOIN campaigns c ON true`;', ['campaigns 2']],
    [
      'a statement within a part',
      '`WITH x AS (${all ? `SELECT 1 FROM calls` : ""}) DELETE FROM tools`',
      ['calls 1', 'tools 1'],
    ],
    ['an entity', "import { AgentEntity } from '@app/agents';", ['agents 1']],
  ])('finds %s', (_, text, tables) => {
    expect(found(text).toSorted()).toEqual(tables.toSorted());
  });

  it.each([
    ["the file's own tables", "'SELECT 1 FROM webhook_hosts JOIN webhook_endpoints e ON true'"],
    [
      'names of WITH',
      "'WITH accounts AS (SELECT 1), calls (id) AS MATERIALIZED (SELECT 1) SELECT 1 FROM accounts, calls'",
    ],
    ['rows of a lock', "'SELECT 1 FROM webhook_hosts calls FOR UPDATE OF calls'"],
    ['sentences and comments', "throw new Error('No message from calls'); // SELECT 1 FROM calls"],
    [
      'an entity as a type',
      "import { type AgentEntity } from '@app/agents'; import type { CallEntity } from '@app/calls';",
    ],
  ])('passes over %s', (_, text) => {
    expect(found(text)).toEqual([]);
  });
});
