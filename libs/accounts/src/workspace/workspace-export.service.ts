import { Encryption } from '@app/common';
import { Database, type EntityTransaction } from '@app/database';
import { Injectable } from '@nestjs/common';
import { Document, isMap } from 'yaml';
import { AccountsService } from '../accounts.service.js';
import type { ReadTools } from '../agents/agent-tools.js';
import { NumbersService } from '../numbers/numbers.service.js';
import { TrunksService } from '../trunks/trunks.service.js';
import { accountNode, exportedTrunk, type ExportedNode, numberNode } from './exported-nodes.js';
import { WorkspaceAgentsService } from './workspace-agents.service.js';

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
    private readonly agents: WorkspaceAgentsService,
    private readonly encryption: Encryption,
  ) {}

  /** The account of this name, or all, as YAML. undefined: there is none. */
  async export(account: string | undefined, toolsOf: ReadTools): Promise<string | undefined> {
    const nodes = await this.database.entityTransaction(async (tx) => {
      const found = await this.accounts.entities(account, tx);
      const exported: ExportedAccount[] = [];
      for (const one of found)
        exported.push({ node: accountNode(one), ...(await this.recordsOf(one.id, toolsOf, tx)) });
      return exported;
    });
    return nodes.length === 0 ? undefined : asYaml(nodes);
  }

  private async recordsOf(
    accountId: number,
    toolsOf: ReadTools,
    tx: EntityTransaction,
  ): Promise<Omit<ExportedAccount, 'node'>> {
    const [numbers, trunks, agents] = [
      await this.numbers.all(accountId, tx),
      await this.trunks.nodes(accountId, tx),
      await this.agents.all(accountId, tx),
    ];
    const agentNames = new Map(agents.map(({ id, name }) => [id, name]));
    const numberNames = new Map(numbers.map(({ id, name }) => [id, name]));
    return {
      numbers: numbers.map((number) => numberNode(number, agentNames)),
      trunks: trunks.map(({ id: _id, ...trunk }) => exportedTrunk(trunk)),
      agents: await this.agents.exported(agents, { numberNames, encryption: this.encryption, toolsOf }, tx),
    };
  }
}

interface ExportedAccount {
  node: Record<string, unknown>;
  numbers: ExportedNode[];
  trunks: ExportedNode[];
  agents: ExportedNode[];
}

const LISTS = ['numbers', 'trunks', 'agents'] as const;

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
    for (const list of LISTS) {
      for (const [at, { omitted }] of account[list].entries()) {
        const map = document.getIn(['accounts', index, list, at], true);
        if (isMap(map) && omitted.length > 0) map.comment = omitted.map((line) => ` ${line}`).join('\n');
      }
    }
  }
  return document.toString({ lineWidth: 0 });
}
