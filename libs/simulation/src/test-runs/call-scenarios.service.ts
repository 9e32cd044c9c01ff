import { CallEventsService, CallsService } from '@app/calls';
import { NotFound } from '@app/common';
import { RESERVED_NAMES } from '@app/tools';
import { Injectable } from '@nestjs/common';
import { type CallFact, scenarioOfCall } from './domain/scenario-of-call.js';

const SERVICE_TOOLS: ReadonlySet<string> = new Set(RESERVED_NAMES);
const PAGE = 500;
/** Events of a call that are read; a scenario has at most 50 steps. */
const MAX_EVENTS = 5_000;

interface CallOfAccount {
  accountId: number;
  callId: string;
}

/** Scenarios from stored calls. */
@Injectable()
export class CallScenariosService {
  constructor(
    private readonly calls: CallsService,
    private readonly events: CallEventsService,
  ) {}

  /** The scenario, and the name of the agent. Throws NotFound (call, its transcript, or a conversation in it). */
  async of({ accountId, callId }: CallOfAccount): Promise<{ agent: string | null; scenario: object }> {
    const call = await this.calls.find(accountId, callId);
    if (call.transcript_deleted_at) throw new NotFound('Transcript');
    const { direction, metadata, variables, agent_name: agent } = call;
    const facts = await this.facts({ accountId, callId });
    const scenario = scenarioOfCall({ id: callId, direction, metadata, variables }, facts, SERVICE_TOOLS);
    if (!scenario) throw new NotFound('Conversation');
    return { agent, scenario };
  }

  private async facts(call: CallOfAccount): Promise<CallFact[]> {
    const facts: CallFact[] = [];
    for (let after = 0; facts.length < MAX_EVENTS;) {
      const { events, nextAfter, complete } = await this.events.page(call, { after, limit: PAGE });
      facts.push(...events.map(({ type, data }) => ({ ...data, type })));
      if (complete || nextAfter === after) break;
      after = nextAfter;
    }
    return facts;
  }
}
