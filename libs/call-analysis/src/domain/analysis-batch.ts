import { analysisChange } from '@app/agents';
import { CALL_CHANNELS, CALL_DIRECTIONS } from '@app/calls';
import { node, whole } from '@app/common/field-schemas';
import { z } from 'zod';

/** Calls of one batch. */
export const MAX_CALLS = 10_000;

const id = whole(1, 2_147_483_647).optional();
const time = z
  .union([z.iso.date(), z.iso.datetime({ offset: true })], 'must be a date or a time with its offset')
  .optional();

const filter = node({
  agent_id: id.describe('Calls of the agent with this ID.'),
  agent_version: id.describe('Calls with this version of the agent. Requires `agent_id`.'),
  number_id: id.describe('Calls of the phone number with this ID.'),
  campaign_id: id.describe('Calls of the campaign with this ID.'),
  direction: z
    .enum(CALL_DIRECTIONS, `must be one of ${CALL_DIRECTIONS.join(', ')}`)
    .optional()
    .describe('Calls in this direction.'),
  channel: z
    .enum([...CALL_CHANNELS, 'any'], `must be one of ${[...CALL_CHANNELS, 'any'].join(', ')}`)
    .optional()
    .describe('Calls over the phone (the default), from web pages, or both.'),
  date_from: time.describe('Calls created from this date or time (with its offset).'),
  date_to: time.describe('Calls created up to this time, or to the end of this date (UTC).'),
}).refine(({ agent_id: agent, agent_version: version }) => version === undefined || agent !== undefined, {
  path: ['agent_version'],
  error: 'requires agent_id',
});

/** The body of a request that analyses the calls of a filter. */
export const analysisBatch = node({
  filter: filter.describe(
    `The calls; at most ${MAX_CALLS.toLocaleString('en-US')} answered ones. An unknown filter is 422.`,
  ),
  analysis: analysisChange.optional().describe('Replaces these fields of the analysis of each agent.'),
});

export type AnalysisBatch = z.output<typeof analysisBatch>;
