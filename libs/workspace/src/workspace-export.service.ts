import { Database, type EntityTransaction } from '@app/database';
import { Injectable } from '@nestjs/common';
import { Document, isMap } from 'yaml';
import {
  type AccountEntity,
  AccountsService,
  NumbersService,
  SignInSettingsService,
  type SignInView,
  TrunksService,
} from '@app/accounts';
import { accountNode, exportTrunk, type ExportedNode, numberNode, signInNode } from './exported-nodes.js';
import { ExportedAgentsService } from './exported-agents.service.js';

const HEADER = ` Written by trunkline export: applied to the same database, the file changes nothing.
 Secrets are not exported. A comment stands where one is stored; without the key, apply keeps the stored value.`;

/** Writes workspace files from the database. */
@Injectable()
export class WorkspaceExportService {
  constructor(
    private readonly database: Database,
    private readonly accounts: AccountsService,
    private readonly numbers: NumbersService,
    private readonly trunks: TrunksService,
    private readonly agents: ExportedAgentsService,
    private readonly signIn: SignInSettingsService,
  ) {}

  /** The account of this name, or all, as YAML. undefined: there is none. */
  async export(account: string | undefined): Promise<string | undefined> {
    const nodes = await this.database.entityTransaction(async (tx) => {
      const found = await this.accounts.entities(account, tx);
      const exported: ExportedAccount[] = [];
      for (const one of found)
        exported.push({
          ...accountParts(one, await this.signIn.ofAccount(one.id, tx)),
          ...(await this.recordsOf(one.id, tx)),
        });
      return exported;
    });
    return nodes.length === 0 ? undefined : asYaml(nodes);
  }

  private async recordsOf(accountId: number, tx: EntityTransaction): Promise<Pick<ExportedAccount, List>> {
    const [numbers, trunks, agents] = [
      await this.numbers.all(accountId, tx),
      await this.trunks.nodes(accountId, tx),
      await this.agents.all(accountId, tx),
    ];
    const agentNames = new Map(agents.map(({ id, name }) => [id, name]));
    const numberNames = new Map(numbers.map(({ id, name }) => [id, name]));
    return {
      numbers: numbers.map((number) => numberNode(number, agentNames)),
      trunks: trunks.map(({ id: _id, ...trunk }) => exportTrunk(trunk)),
      agents: await this.agents.nodes(agents, { numberNames, agentNames }, tx),
    };
  }
}

interface ExportedAccount extends ExportedNode {
  numbers: ExportedNode[];
  trunks: ExportedNode[];
  agents: ExportedNode[];
}

const LISTS = ['numbers', 'trunks', 'agents'] as const;
type List = (typeof LISTS)[number];

function accountParts(account: AccountEntity, signIn: SignInView | undefined): ExportedNode {
  const { node, omitted } = signInNode(signIn);
  return { node: { ...accountNode(account), ...node }, omitted };
}

/** Omitted secrets become comments at the end of their records. */
function asYaml(accounts: readonly ExportedAccount[]): string {
  const document = new Document({
    accounts: accounts.map((account) => ({
      ...account.node,
      ...Object.fromEntries(LISTS.map((list) => [list, account[list].map(({ node }) => node)])),
    })),
  });
  document.commentBefore = HEADER;
  for (const [index, account] of accounts.entries()) {
    comment(document, ['accounts', index], account.omitted);
    for (const list of LISTS)
      for (const [at, { omitted }] of account[list].entries())
        comment(document, ['accounts', index, list, at], omitted);
  }
  return document.toString({ lineWidth: 0 });
}

function comment(document: Document, path: (string | number)[], omitted: readonly string[]): void {
  const map = document.getIn(path, true);
  if (isMap(map) && omitted.length > 0) map.comment = omitted.map((line) => ` ${line}`).join('\n');
}
