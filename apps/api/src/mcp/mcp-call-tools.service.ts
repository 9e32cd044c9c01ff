import { CallAnalysesService } from '@app/call-analysis';
import { TranscriptSearchService } from '@app/analytics';
import {
  CallCancellationService,
  CallCreationService,
  CallLinksService,
  CallsService,
  callView,
  callWithResultsView,
  TranscriptsService,
  type TranscriptTurn,
  WebCallsService,
} from '@app/calls';
import { agentOverridesSchema } from '@app/agents';
import { isUuid, NotFound } from '@app/common';
import { idempotencyKey, readCursor } from '@app/database';
import { WEEKDAYS } from '@app/common/time-windows';
import type { JsonSchema } from '@app/json-schema';
import { Injectable } from '@nestjs/common';
import { CreateCallsDto, toCreateCallsCommand } from '../calls/requests/create-calls.dto.js';
import { ListCallsDto, toCallFilter } from '../calls/requests/list-calls.dto.js';
import { webCallUrl } from '../web-calls/web-call-url.js';
import { CreateWebCallDto, toWebCallCommand } from '../web-calls/web-calls.dto.js';
import {
  A_RECORD,
  AN_ID,
  asQuery,
  dtoOf,
  type McpCaller,
  objectOf,
  READS,
  RECORDS,
  resultOf,
  type ServedTool,
} from './served-tool.js';

const CALL_ID = { type: 'string', description: 'The call_id of the call.' };
const OVERRIDES: JsonSchema = { ...agentOverridesSchema() };
const AGENT_OVERRIDES: JsonSchema = {
  ...OVERRIDES,
  description: 'Settings of the agent that this call replaces.',
  properties: {
    ...(OVERRIDES['properties'] as Record<string, JsonSchema>),
    // Its whole schema is deeper than schemas of tools may be; the service checks the value as in a request.
    call_transfer: {
      type: ['object', 'null'],
      description:
        'Transfers of this call, as in POST /api/v1/calls: enabled, mode, phone_number, destinations and others.',
    },
  },
};
/** When a call may be dialled. */
const SCHEDULE: Record<string, JsonSchema> = {
  not_before: {
    type: 'string',
    description: 'Earliest time of the call: ISO 8601 with Z or an offset, at most 366 days ahead. Now by default.',
  },
  window: {
    type: 'object',
    properties: {
      windows: {
        type: 'array',
        minItems: 1,
        items: {
          type: 'object',
          properties: {
            days: { type: 'array', items: { type: 'string', enum: [...WEEKDAYS] }, description: 'All by default.' },
            from: { type: 'string', description: 'Local time HH:MM.' },
            to: { type: 'string', description: 'Local time HH:MM, not included.' },
          },
          required: ['from', 'to'],
        },
      },
      excluded_dates: {
        type: 'array',
        items: { type: 'string' },
        description: 'Local dates YYYY-MM-DD without calls.',
      },
    },
    required: ['windows'],
    description: 'Local times at which the call may be dialled. Outside of them it waits.',
  },
  time_zone: {
    type: 'string',
    description: 'IANA time zone of window. By default that of the phone number; required with window for SIP URIs.',
  },
};
/** Turns and characters of one answer: an assistant reads on with `from_turn`. */
const MAX_TURNS = 200;
const MAX_CHARACTERS = 60_000;
const PER_PAGE = 15;
/** A person opens the link of an assistant later than a page its own call. */
const LINK_SECONDS = 600;

type Args = Record<string, unknown>;

/** The tools for calls. */
@Injectable()
export class McpCallToolsService {
  constructor(
    private readonly calls: CallsService,
    private readonly creation: CallCreationService,
    private readonly cancellation: CallCancellationService,
    private readonly webCalls: WebCallsService,
    private readonly transcripts: TranscriptsService,
    private readonly links: CallLinksService,
    private readonly search: TranscriptSearchService,
    private readonly analyses: CallAnalysesService,
  ) {}

  readonly tools: readonly ServedTool[] = [
    {
      name: 'place_call',
      title: 'Place a call',
      description:
        'Calls a phone number or SIP URI; an AI voice agent of the account handles the conversation. Returns at once with the queued call: follow it with get_call. Calls cost money and reach people: confirm number and purpose with your user first. Give an idempotency_key, so that a retry does not call twice. `warnings` say why the call will fail.',
      scope: 'calls:write',
      inputSchema: objectOf(
        {
          to_number: { type: 'string', description: 'An E.164 number such as +15550002222, or a SIP URI.' },
          agent_id: { ...AN_ID, description: 'The agent that handles the call, see list_agents.' },
          number_id: { ...AN_ID, description: 'The phone number to call from, see list_numbers.' },
          trunk_id: { ...AN_ID, description: 'The SIP trunk that carries the call. Required for E.164 numbers.' },
          metadata: { type: 'object', description: 'Data about the call, such as the number of an order.' },
          variables: {
            type: 'object',
            additionalProperties: { type: ['string', 'number', 'boolean'] },
            description: "Values of the agent's variables, which its texts use as {{name}}.",
          },
          ...SCHEDULE,
          agent_overrides: AGENT_OVERRIDES,
          record: { type: 'boolean', description: 'Whether to record the call; true by default.' },
          idempotency_key: {
            type: 'string',
            description:
              'A unique text for this call, for example a UUID. A repeated request with it returns the first call.',
          },
        },
        ['to_number', 'agent_id', 'number_id'],
      ),
      outputSchema: resultOf({ call: A_RECORD, replayed: { type: 'boolean' }, warnings: RECORDS }),
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
      run: (args, caller) => this.place(args, caller),
    },
    {
      name: 'create_call_link',
      title: 'Create a link to a call in the browser',
      description:
        'Returns a link with which one person talks to an AI voice agent in the browser, without a phone. It opens one call within ten minutes; the call begins when the page is opened, and costs what the agent costs. Follow it with get_call.',
      scope: 'calls:write',
      inputSchema: objectOf(
        {
          agent_id: { ...AN_ID, description: 'The agent that handles the call, see list_agents.' },
          version: { ...AN_ID, description: 'A version of the agent, drafts too. The current one by default.' },
          metadata: { type: 'object', description: 'Data about the call, such as the number of an order.' },
          variables: {
            type: 'object',
            additionalProperties: { type: ['string', 'number', 'boolean'] },
            description: "Values of the agent's variables, which its texts use as {{name}}.",
          },
          agent_overrides: AGENT_OVERRIDES,
          record: { type: 'boolean', description: 'Whether to record the call; true by default.' },
          max_seconds: { type: 'integer', minimum: 10, maximum: 7_200, description: 'Maximum length of the call.' },
        },
        ['agent_id'],
      ),
      outputSchema: resultOf({
        call_id: { type: 'string' },
        link: { type: 'string' },
        expires_at: { type: 'string' },
      }),
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
      run: (args, caller) => this.linkTo(args, caller),
    },
    {
      name: 'get_call',
      title: 'Read a call',
      description:
        'Returns a call with its status, times, cause of the end, costs and summary; `failure` says why it failed and what to do, null: it did not. Also its newest analysis: the values, rubric answers and summary with their evidence; null: the call has none. An analysis that is pending or running has no values yet.',
      scope: 'calls:read',
      inputSchema: objectOf({ call_id: CALL_ID }, ['call_id']),
      outputSchema: resultOf({ call: A_RECORD, analysis: { ...A_RECORD, type: ['object', 'null'] } }),
      annotations: READS,
      run: async ({ call_id: callId }, { who }) => ({
        call: callWithResultsView(await this.calls.findWithResults(who.accountId, idOf(callId)), this.links),
        analysis: (await this.analyses.newest(who.accountId, idOf(callId))) ?? null,
      }),
    },
    {
      name: 'list_calls',
      title: 'List calls',
      description:
        'Returns calls of the account, newest first, 15 at a time; `failure` of a call says why it failed. Pass next_cursor as cursor for more.',
      scope: 'calls:read',
      inputSchema: objectOf({
        status: {
          type: 'string',
          enum: ['pending', 'ringing', 'in_progress', 'completed', 'failed', 'busy', 'no_answer', 'cancelled'],
        },
        agent_id: { ...AN_ID, description: 'Calls of this agent.' },
        direction: { type: 'string', enum: ['inbound', 'outbound'] },
        channel: {
          type: 'string',
          enum: ['phone', 'web', 'any'],
          description: 'Calls over the phone (the default), from web pages, or both.',
        },
        scheduled: {
          type: 'string',
          enum: ['true', 'false'],
          description: 'Whether calls wait for the time of their schedule.',
        },
        date_from: { type: 'string', description: 'Calls created from this ISO 8601 date or time.' },
        date_to: { type: 'string', description: 'Calls created until this ISO 8601 date or time.' },
        search: { type: 'string', description: 'A call ID, a complete phone number, or part of a number or SIP URI.' },
        transcript: {
          type: 'string',
          description:
            'Words of the transcript: all of them, "a phrase", -excluded, begin*. The calls have transcript_matches.',
        },
        per_page: { type: 'integer', minimum: 1, maximum: 100 },
        cursor: { type: 'string' },
      }),
      outputSchema: resultOf({ calls: RECORDS, next_cursor: { type: ['string', 'null'] } }),
      annotations: READS,
      run: (args, caller) => this.list(args, caller),
    },
    {
      name: 'get_transcript',
      title: 'Read the transcript of a call',
      description: `Returns what was said, in order, also while the call is in progress (complete is false). At most ${MAX_TURNS} turns: pass next_turn as from_turn for more.`,
      scope: 'calls:read',
      inputSchema: objectOf(
        {
          call_id: CALL_ID,
          from_turn: { type: 'integer', minimum: 0, description: 'Position of the first turn; 0 by default.' },
        },
        ['call_id'],
      ),
      outputSchema: resultOf({
        call_id: { type: 'string' },
        complete: { type: 'boolean' },
        turns: RECORDS,
        next_turn: { type: ['integer', 'null'] },
      }),
      annotations: READS,
      run: (args, caller) => this.transcript(args, caller),
    },
    {
      name: 'cancel_call',
      title: 'Cancel a call',
      description: 'Cancels a call that is queued or ringing, and hangs up one that is in progress.',
      scope: 'calls:write',
      inputSchema: objectOf({ call_id: CALL_ID }, ['call_id']),
      outputSchema: resultOf({ call: A_RECORD }),
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
      run: async ({ call_id: callId }, { who }) => ({
        call: callView(await this.cancellation.cancel(who, idOf(callId)), this.links),
      }),
    },
  ];

  private async place({ idempotency_key: key, ...args }: Args, { who, traceParent }: McpCaller): Promise<Args> {
    const command = toCreateCallsCommand(await dtoOf(CreateCallsDto, args), traceParent);
    const once = idempotencyKey(key as string | undefined, args);
    const { calls, replayed, warnings } = await this.creation.create(who.accountId, command, once);
    return { call: calls[0], replayed, warnings };
  }

  private async linkTo(args: Args, { who, traceParent, base }: McpCaller): Promise<Args> {
    const command = toWebCallCommand(await dtoOf(CreateWebCallDto, args), traceParent);
    const call = await this.webCalls.create(who.accountId, command, { tokenSeconds: LINK_SECONDS });
    const parameters = new URLSearchParams({ url: webCallUrl(base, call.callId), token: call.token });
    // In the fragment, which browsers do not send: tokens do not end up in logs.
    return { call_id: call.callId, link: `${base}/talk#${parameters.toString()}`, expires_at: call.expiresAt };
  }

  private async list(args: Args, { who }: McpCaller): Promise<Args> {
    const query = await dtoOf(ListCallsDto, asQuery(args));
    const cursor = query.cursor === undefined ? undefined : readCursor(query.cursor);
    const place = { cursor, perPage: query.per_page ?? PER_PAGE };
    const search = query.transcript && this.search.parse(who.accountId, query.transcript);
    const filter = toCallFilter(query, search ? search.query : undefined);
    const { rows, next } = await this.calls.slice(who.accountId, filter, place);
    const views = rows.map((call) => callView(call, this.links));
    const calls = search ? await this.search.withMatches(who.accountId, views, search) : views;
    return { calls, next_cursor: next ?? null };
  }

  private async transcript({ call_id: callId, from_turn: first = 0 }: Args, { who }: McpCaller): Promise<Args> {
    const call = await this.transcripts.find(who.accountId, idOf(callId));
    const { turns, next } = await this.turnsFrom(call.id, first as number);
    return { call_id: call.id, complete: call.ended, turns, next_turn: next };
  }

  /** The turns from a position that fit into one answer, at least one of them, and the position of the next one. */
  private async turnsFrom(callId: string, first: number): Promise<{ turns: TranscriptTurn[]; next: number | null }> {
    const turns: TranscriptTurn[] = [];
    let [position, length] = [0, 0];
    for await (const chunk of await this.transcripts.turns(callId)) {
      for (const turn of chunk) {
        position += 1;
        if (position <= first) continue;
        length += turn.text.length;
        const isFull = turns.length === MAX_TURNS || (turns.length > 0 && length > MAX_CHARACTERS);
        if (isFull) return { turns, next: position - 1 };
        turns.push(turn);
      }
    }
    return { turns, next: null };
  }
}

/** A malformed id is an unknown one. */
function idOf(callId: unknown): string {
  if (typeof callId === 'string' && isUuid(callId)) return callId;
  throw new NotFound('Call');
}
