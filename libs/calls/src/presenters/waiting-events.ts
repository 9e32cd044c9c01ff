/** A field of an event's `data`, with its JSON Schema type. */
export interface CallEventField {
  type: 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object' | 'any';
  /** Of the elements of an array. */
  items?: 'string' | 'integer' | 'number' | 'object';
  description: string;
  example: unknown;
  values?: readonly string[];
  /** Not present in every event of the type. */
  optional?: true;
  nullable?: true;
}

export interface CallEventType {
  description: string;
  fields: Readonly<Record<string, CallEventField>>;
}

export const ms = (description: string, example: number): CallEventField => ({ type: 'integer', description, example });
export const text = (description: string, example: string): CallEventField => ({
  type: 'string',
  description,
  example,
});

/** The events of calls that are not dialled or served yet. */
export const WAITING_EVENTS = {
  pre_call_webhook: {
    description: 'The pre-call webhook of the agent was asked.',
    fields: {
      outcome: {
        ...text(
          '`continued`: it answered, and the call goes on. `skipped`: the call ends. `failed`: the call goes on without its answer.',
          'skipped',
        ),
        values: ['continued', 'skipped', 'failed'],
      },
      reason: {
        ...text('Reason given by the webhook, or for its failure. Null if the call goes on as answered.', 'opted out'),
        nullable: true,
      },
      agent_id: {
        ...ms('ID of the agent that the webhook chose. Absent if it chose none.', 2),
        optional: true,
      },
      delivery_id: text(
        'ID in `GET /webhook-deliveries`, equal to the `webhook-id` header.',
        '019e4a52-7c1e-5b4e-9a57-3f1f0f6f2c35',
      ),
    },
  },
  postponed: {
    description: 'The call was not dialled, because its window closed while it waited in the queue.',
    fields: {
      reason: { ...text('Why the call waits.', 'outside_window'), values: ['outside_window'] },
      scheduled_for: text('Time at which the call joins the queue again.', '2026-12-02T08:00:00.000+00:00'),
    },
  },
  queue_position: {
    description: 'An inbound caller waits for a free place, and has a new position in the queue.',
    fields: { position: ms('Position in the queue, from 1.', 2) },
  },
  queue_left: {
    description: 'The caller left the queue.',
    fields: {
      outcome: {
        ...text(
          '`served`: it got a place, and its agent answers. `abandoned`: the caller hung up. `timeout`: it waited as long as the number allows. `ended`: the call ended for another reason.',
          'served',
        ),
        values: ['served', 'abandoned', 'timeout', 'ended'],
      },
      waited_ms: ms('Waiting time in milliseconds.', 41_200),
    },
  },
  compliance_checked: {
    description:
      'Immediately before dialling, the number was checked against the do-not-call list and the contact limits. Written when the account has either.',
    fields: {
      result: {
        ...text('`allowed`: the call was dialled. Otherwise the hangup cause of the call.', 'allowed'),
        values: ['allowed', 'do_not_call', 'contact_limit'],
      },
      entry_id: {
        ...text(
          'ID of the entry in `GET /do-not-call/{entry_id}` that forbade the call. Null if there is none.',
          '019e4a52-7c1e-7b4e-9a57-3f1f0f6f2c40',
        ),
        nullable: true,
      },
      list_version: {
        ...ms('Number of the state of the list, counting its changes. Null: the list was never used.', 42),
        nullable: true,
      },
      list_changed_at: {
        ...text('Time of the last change of the list before the check.', '2026-12-02T08:00:00.000+00:00'),
        nullable: true,
      },
      attempts: {
        type: 'object',
        description: 'Dialled calls to the number before this one: `last_24_hours`, `last_7_days`.',
        example: { last_24_hours: 1, last_7_days: 2 },
      },
      limits: {
        type: 'object',
        description: 'The limits at the time of the check: `attempts_per_day`, `attempts_per_week`; null: no limit.',
        example: { attempts_per_day: 3, attempts_per_week: null },
      },
      local_times: {
        type: 'array',
        items: 'object',
        description: 'The local time of the number in each of its time zones.',
        example: [{ time_zone: 'America/New_York', local_time: '2026-12-02T10:15:00-05:00' }],
      },
    },
  },
} as const satisfies Record<string, CallEventType>;
