import type { Acting } from '@app/audit';
import { Conflict } from '@app/common';
import { Injectable } from '@nestjs/common';
import {
  AccountsService,
  NumbersService,
  type RecordKind,
  resultOf,
  type SaveResult,
  SignInSettingsService,
  TrunksService,
  type TlsNode,
  type TrunkNode,
  frontSettings,
  type NumberNode,
} from '@app/accounts';
import { type AppliedAgent, WorkspaceAgentsService } from './workspace-agents.service.js';
import { noteChange } from './workspace-changes.js';
import { type ApplyContext, knownId } from './workspace-file.js';
import type { AccountNode } from './workspace-schema.js';

/** A node of the file without its secrets, with its id and the result. */
type Applied<Node, Secret extends keyof Node = never> = { id: number; result: SaveResult } & Omit<Node, Secret>;

/** Without passwords and keys. */
type AppliedTrunk = Applied<TrunkNode, 'password' | 'tls' | 'inbound'> & {
  tls?: Omit<TlsNode, 'key'> | null;
  inbound?: Omit<NonNullable<TrunkNode['inbound']>, 'password'> | null;
};

export interface AppliedRecords {
  id: number;
  result: SaveResult;
  name: string;
  limits?: AccountNode['limits'];
  contact_limits?: AccountNode['contact_limits'];
  retention?: AccountNode['retention'];
  numbers: Applied<NumberNode>[];
  trunks: AppliedTrunk[];
  agents: AppliedAgent[];
}

/** A record that --prune cannot delete. */
export interface RefusedDeletion {
  account: string;
  kind: RecordKind;
  name: string;
  reason: string;
}

/** Applies one account of a workspace file, with the services that the API uses. */
@Injectable()
export class WorkspaceAccountService {
  constructor(
    private readonly accounts: AccountsService,
    private readonly numbers: NumbersService,
    private readonly trunks: TrunksService,
    private readonly agents: WorkspaceAgentsService,
    private readonly signIn: SignInSettingsService,
  ) {}

  /** Throws WorkspaceError. */
  async apply(context: ApplyContext, node: AccountNode): Promise<AppliedRecords> {
    const { tx, actor } = context;
    const { name, default_country, limits, contact_limits, retention, redaction, announce_listeners } = node;
    const fields = { default_country, limits, contact_limits, retention, redaction, announce_listeners };
    const saved = await this.accounts.apply(actor, name, fields, tx);
    const { id } = saved;
    noteChange(context.changes, { accountId: id, account: name, kind: 'account', name }, saved);
    const account = { accountId: id, account: name, actor };
    const isSignInChanged = await this.applySignIn(context, account, node);
    const numbers: AppliedRecords['numbers'] = [];
    for (const [at, item] of node.numbers.entries()) numbers.push(await this.applyNumber(context, account, item, at));
    const trunks: AppliedTrunk[] = [];
    for (const [at, item] of node.trunks.entries()) trunks.push(await this.applyTrunk(context, account, item, at));
    const agents: AppliedRecords['agents'] = [];
    const names = node.agents.map((agent) => agent.name);
    await this.agents.lockNamed(id, names, tx);
    agents.push(...(await this.agents.applyAll(context, account, node.agents)));
    // After the agents, which may be in the same file.
    for (const [at, item] of node.numbers.entries()) {
      if (await this.assignAgents(context, account, item, at)) markUpdated(numbers[at]);
    }
    return {
      id,
      result: isSignInChanged && saved.result === 'unchanged' ? 'updated' : saved.result,
      name,
      ...(limits ? { limits } : {}),
      ...(contact_limits ? { contact_limits } : {}),
      ...(retention ? { retention } : {}),
      numbers,
      trunks,
      agents,
    };
  }

  /** The ids of an agent and its account by their names, as far as they are stored. */
  async idsOf(account: string, agent: string): Promise<{ accountId?: number; agentId?: number }> {
    const accountId = await this.accounts.idByName(account);
    return accountId === undefined ? {} : { accountId, agentId: await this.agents.idByName(accountId, agent) };
  }

  /** Deletes the numbers, trunks and agents that the file does not name. @returns those that cannot be deleted, which stay */
  async prune(context: ApplyContext, accountId: number, node: AccountNode): Promise<RefusedDeletion[]> {
    const { tx, actor } = context;
    const acting = { accountId, actor };
    const [numbers, trunks] = [await this.numbers.all(accountId, tx), await this.trunks.nodes(accountId, tx)];
    const agents = await this.agents.all(accountId, tx);
    const deleteAgent = (id: number) => this.agents.deleteWithin(context, accountId, id);
    const lists = [
      {
        kind: 'number',
        found: numbers,
        kept: node.numbers,
        remove: (id: number) => this.numbers.deleteWithin(acting, id, tx),
      },
      {
        kind: 'trunk',
        found: trunks,
        kept: node.trunks,
        remove: (id: number) => this.trunks.deleteWithin(acting, id, tx),
      },
      { kind: 'agent', found: agents, kept: node.agents, remove: deleteAgent },
    ] as const;
    const refused: RefusedDeletion[] = [];
    for (const { kind, found, kept, remove } of lists) {
      const names = new Set(kept.map(({ name }) => name));
      for (const { id, name } of found.filter((one) => !names.has(one.name))) {
        try {
          await remove(id);
          context.changes.push({ accountId, account: node.name, kind, name, id, result: 'deleted', fields: [] });
        } catch (error) {
          if (!(error instanceof Conflict)) throw error;
          refused.push({ account: node.name, kind, name, reason: error.message });
        }
      }
    }
    return refused;
  }

  /** @returns whether the settings changed */
  private async applySignIn(
    context: ApplyContext,
    account: Acting & { account: string },
    { sign_in: signIn }: AccountNode,
  ): Promise<boolean> {
    if (signIn === undefined) return false;
    const { accountId: id, account: name } = account;
    const isChanged = await this.signIn.apply(account, signIn, context.tx).catch((error: unknown) => {
      throw context.file.faultIn(['accounts', context.index, 'sign_in'], error);
    });
    // The name of a secret column: the report shows neither value.
    const changes = [{ column: 'sign_in_sealed', from: undefined, to: undefined }];
    if (isChanged)
      noteChange(context.changes, { ...account, kind: 'account', name }, { id, result: 'updated', changes });
    return isChanged;
  }

  private async applyNumber(
    context: ApplyContext,
    account: Acting & { account: string },
    node: NumberNode,
    at: number,
  ): Promise<Applied<NumberNode>> {
    const { name, e164, active, hours, closed, queue } = node;
    const settings = { e164, active, ...frontSettings({ hours, closed, queue }) };
    const saved = await this.numbers.apply(account, name, settings, context.tx).catch(rethrown(context, 'numbers', at));
    noteChange(context.changes, { ...account, kind: 'number', name }, saved);
    return { ...resultOf(saved), ...node };
  }

  /** true: an agent of the number changed. */
  private async assignAgents(
    context: ApplyContext,
    account: Acting & { account: string },
    { name, agent, closed }: NumberNode,
    at: number,
  ): Promise<boolean> {
    const { accountId } = account;
    const idOf = async (named: string | null | undefined, key: string[]): Promise<number | null | undefined> => {
      if (typeof named !== 'string') return named;
      const path = ['accounts', context.index, 'numbers', at, ...key];
      return knownId(context, named, await this.agents.idByName(accountId, named, context.tx), path, 'an agent');
    };
    const ofClosed = closed?.action === 'agent' ? closed.agent : null;
    const agentId = await idOf(agent, ['agent']);
    const closedAgentId = closed === undefined ? undefined : await idOf(ofClosed, ['closed', 'agent']);
    const saved = await this.numbers.apply(account, name, { agentId, closedAgentId }, context.tx);
    noteChange(context.changes, { ...account, kind: 'number', name }, saved);
    return saved.result === 'updated';
  }

  private async applyTrunk(
    context: ApplyContext,
    account: Acting & { account: string },
    node: TrunkNode,
    at: number,
  ): Promise<AppliedTrunk> {
    const { name, password: _password, tls, inbound, ...shown } = node;
    const saved = await this.trunks
      .apply(account, node, context.folder, context.tx)
      .catch(rethrown(context, 'trunks', at));
    noteChange(context.changes, { ...account, kind: 'trunk', name }, saved);
    return {
      ...resultOf(saved),
      name,
      ...shown,
      ...(tls === undefined ? {} : { tls: tls && without(tls, 'key') }),
      ...(inbound === undefined ? {} : { inbound: inbound && without(inbound, 'password') }),
    };
  }
}

/** Rethrows an InvalidRecord with the line of the file. */
const rethrown =
  ({ file, index }: ApplyContext, list: 'numbers' | 'trunks', at: number) =>
  (error: unknown): never => {
    throw file.faultIn(['accounts', index, list, at], error);
  };

function markUpdated(applied: { result: SaveResult } | undefined): void {
  if (applied?.result === 'unchanged') applied.result = 'updated';
}

function without<T extends object, K extends keyof T>(node: T, secret: K): Omit<T, K> {
  const { [secret]: _secret, ...shown } = node;
  return shown;
}
