import type { Acting } from '@app/audit';
import { type AgentOfAccount, Conflict, InvalidFields, isoTime, noRecord, NotFound } from '@app/common';
import {
  Database,
  type EntityTransaction,
  type IdempotencyKey,
  IdempotencyRepository,
  RecordExistenceRepository,
} from '@app/database';
import { Injectable } from '@nestjs/common';
import type { z } from 'zod';
import { readFields } from '../domain/field-faults.js';
import {
  AccountRecordsService,
  type ActingTenant,
  mustBeNew,
  unknownAgent,
} from '../records/account-records.service.js';
import { CallsInProgressRepository } from '../records/calls-in-progress.repository.js';
import type { SavedRecord } from '../records/records.repository.js';
import { changedNumber, frontSettings, newNumber } from './number-schema.js';
import { NumbersRepository } from './numbers.repository.js';
import { PhoneNumberEntity } from './phone-number.entity.js';

/** Numbers that an account may have; a workspace file may create more. */
const NUMBERS_PER_ACCOUNT = 10_000;

/** Columns of a number; undefined ones keep their value. */
type NumberSettings = Partial<
  Pick<
    PhoneNumberEntity,
    'name' | 'e164' | 'active' | 'agentId' | 'hours' | 'closed' | 'closedAgentId' | 'queue' | 'assignedByOperator'
  >
>;

/** Phone numbers, for the API and for workspace files. */
@Injectable()
export class NumbersService {
  constructor(
    private readonly numbers: NumbersRepository,
    private readonly existence: RecordExistenceRepository,
    private readonly calls: CallsInProgressRepository,
    private readonly records: AccountRecordsService,
    private readonly database: Database,
    private readonly idempotency: IdempotencyRepository,
  ) {}

  /** A page of the account's phone numbers by name. */
  async list(
    accountId: number,
    place: { page: number; perPage: number },
  ): Promise<{ numbers: NumberView[]; total: number }> {
    const [numbers, total] = await this.numbers.page(accountId, place);
    return { numbers: numbers.map(numberView), total };
  }

  /** @throws NotFound when the account has no such number */
  async find(accountId: number, id: number): Promise<NumberView> {
    const found = await this.numbers.find(accountId, id);
    if (!found) throw new NotFound('Number');
    return numberView(found);
  }

  /** By E.164 form, name or id. undefined: the account has no such number. */
  async named(accountId: number, number: string): Promise<NumberView | undefined> {
    const found = await this.numbers.named(accountId, number);
    return found && numberView(found);
  }

  /** Throws InvalidFields, and Conflict when the account has no room or the key was used with another body. */
  async create(
    acting: ActingTenant,
    fields: object,
    key?: IdempotencyKey,
  ): Promise<{ view: NumberView; ignored: string[]; replayed: boolean }> {
    const { fields: number, ignored } = readFields(newNumber, fields);
    const { accountId, isOperator } = acting;
    const name = number.name ?? number.e164;
    const { answer, replayed } = await this.idempotency.createOnce(accountId, key, async (tx) => {
      await this.existence.lockAccount(accountId, tx);
      if ((await this.numbers.count(accountId, tx)) >= NUMBERS_PER_ACCOUNT)
        throw new Conflict(`The account has ${NUMBERS_PER_ACCOUNT} numbers, which is the most. Delete one first.`);
      const settings = { ...(await this.settingsOf(accountId, number, tx)), assignedByOperator: isOperator };
      const { id } = await this.save(acting, { name }, mustBeNew('number', name, settings), tx);
      return this.viewOf(accountId, id, tx);
    });
    return { view: answer, ignored, replayed };
  }

  /** Applies the given fields. Throws NotFound and InvalidFields. */
  async update(acting: ActingTenant, id: number, fields: object): Promise<{ view: NumberView; ignored: string[] }> {
    const { fields: number, ignored } = readFields(changedNumber, fields);
    const { accountId, isOperator } = acting;
    return this.database.entityTransaction(async (tx) => {
      const settings = await this.settingsOf(accountId, number, tx);
      const ofStored = (stored: PhoneNumberEntity | null): NumberSettings => {
        if (!stored) throw new NotFound('Number');
        const isOther = number.e164 !== undefined && number.e164 !== stored.e164;
        return isOther ? { ...settings, assignedByOperator: isOperator } : settings;
      };
      await this.save(acting, { id }, ofStored, tx);
      return { view: await this.viewOf(accountId, id, tx), ignored };
    });
  }

  /** Throws NotFound, and Conflict while calls from or to the number are queued or active. Past calls keep the number. */
  delete(acting: Acting, id: number): Promise<void> {
    return this.database.entityTransaction((tx) => this.deleteWithin(acting, id, tx));
  }

  /** `delete` in the transaction of a workspace file. */
  async deleteWithin(acting: Acting, id: number, tx: EntityTransaction): Promise<void> {
    const stored = await this.numbers.lock(acting.accountId, id, tx);
    if (!stored) throw new NotFound('Number');
    if (await this.calls.useNumber(acting.accountId, id, tx))
      throw new Conflict(
        'The number cannot be deleted while calls from or to it are queued or active. Wait until they end, or cancel them.',
      );
    await this.numbers.delete(id, tx);
    await this.records.recordDeleted(acting, 'number', stored, tx);
  }

  /** Creates or updates the number of this name, for a workspace file. Throws InvalidRecord. */
  apply(acting: Acting, name: string, settings: NumberSettings, tx: EntityTransaction): Promise<SavedRecord> {
    return this.save(acting, { name }, () => ({ ...settings, assignedByOperator: true }), tx);
  }

  /** The numbers that an agent answers, within or outside their hours. */
  ofAgent(agent: AgentOfAccount, tx: EntityTransaction): Promise<PhoneNumberEntity[]> {
    return this.numbers.ofAgent(agent, tx);
  }

  /** Gives the numbers of an agent to another agent. Throws InvalidFields when the account has no such agent. */
  async reassign(acting: Acting & AgentOfAccount, to: number, tx: EntityTransaction): Promise<void> {
    if (!(await this.existence.exists(acting.accountId, { table: 'agents', id: to }, tx)))
      throw new InvalidFields({ reassign_to: [noRecord('agent', to)] });
    const other = (id: number | null): number | null => (id === acting.agentId ? to : id);
    for (const number of await this.numbers.ofAgent(acting, tx)) {
      const settings = { agentId: other(number.agentId), closedAgentId: other(number.closedAgentId) };
      await this.save(acting, { id: number.id }, () => settings, tx);
    }
  }

  /** The numbers of an account by name, for a workspace file. */
  all(accountId: number, tx: EntityTransaction): Promise<PhoneNumberEntity[]> {
    return this.numbers.all(accountId, tx);
  }

  /** undefined: the account has no number of this name. */
  idByName(accountId: number, name: string, tx: EntityTransaction): Promise<number | undefined> {
    return this.numbers.idByName(accountId, name, tx);
  }

  private save(
    acting: Acting,
    which: { id: number } | { name: string },
    settings: (stored: PhoneNumberEntity | null) => NumberSettings,
    tx: EntityTransaction,
  ): Promise<SavedRecord> {
    const identity = { accountId: acting.accountId, ...which };
    return this.records.save<PhoneNumberEntity>(
      acting,
      { kind: 'number', entity: PhoneNumberEntity, identity, settings },
      tx,
    );
  }

  private async settingsOf(
    accountId: number,
    { name, e164, active, agent_id: agentId, closed, ...front }: z.output<typeof changedNumber>,
    tx: EntityTransaction,
  ): Promise<NumberSettings> {
    const requireAgent = async (id: number | null | undefined, path?: string[]): Promise<void> => {
      if (typeof id !== 'number' || (await this.existence.exists(accountId, { table: 'agents', id }, tx))) return;
      throw unknownAgent(id, path);
    };
    await requireAgent(agentId);
    const closedAgentId = closed === undefined ? undefined : closedAgentOf(closed);
    await requireAgent(closedAgentId, ['closed', 'agent_id']);
    return { name, e164, active, agentId, closedAgentId, ...frontSettings({ closed, ...front }) };
  }

  private async viewOf(accountId: number, id: number, tx: EntityTransaction): Promise<NumberView> {
    const stored = await this.numbers.find(accountId, id, tx);
    if (!stored) throw new NotFound('Number');
    return numberView(stored);
  }
}

/** Only the action `agent` has an agent. */
const closedAgentOf = (closed: { action: string; agent_id?: number | null } | null): number | null =>
  closed?.action === 'agent' ? (closed.agent_id ?? null) : null;

const numberView = (number: PhoneNumberEntity) => ({
  id: number.id,
  name: number.name,
  e164: number.e164,
  active: number.active,
  agent_id: number.agentId,
  hours: number.hours,
  closed: number.closed && { ...number.closed, agent_id: number.closedAgentId },
  queue: number.queue && {
    ...number.queue,
    on_timeout: { action: 'hang_up', to_number: null, ...number.queue.on_timeout } as const,
  },
  created_at: isoTime(number.createdAt),
  updated_at: isoTime(number.updatedAt),
});

export type NumberView = ReturnType<typeof numberView>;
