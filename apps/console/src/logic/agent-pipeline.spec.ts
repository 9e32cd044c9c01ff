import { expect, it } from '@jest/globals';
import { otherSettings, type Pipeline, pipelineOf } from './agent-pipeline.js';

const STORED: Pipeline = {
  transcriber: { provider: 'deepgram', model: 'nova-3', keywords: ['ACME'], fallbacks: [{ provider: 'sandbox' }] },
  model: { provider: 'openai', model: 'm' },
  synthesizer: { provider: 'cartesia', voice: 'v', speed: 1.1 },
  turns: { longest_ms: 900, acknowledgements: ['mhm'] },
  languages: ['de'],
};

const FIELDS: Record<string, unknown> = {
  'pipeline.transcriber.provider': 'deepgram',
  'pipeline.transcriber.model': 'nova-3',
  'pipeline.model.provider': 'openai',
  'pipeline.model.model': 'm',
  'pipeline.synthesizer.provider': 'cartesia',
  'pipeline.synthesizer.voice': 'v',
  'pipeline.turns.longest_ms': 900,
};

it('the JSON field has the settings of a pipeline that have no field of their own', () => {
  expect(otherSettings(STORED)).toEqual({
    transcriber: { keywords: ['ACME'], fallbacks: [{ provider: 'sandbox' }] },
    synthesizer: { speed: 1.1 },
    turns: { acknowledgements: ['mhm'] },
    languages: ['de'],
  });
});

it.each([null, undefined, {}, { model: { provider: 'sandbox' as const } }])(
  'the JSON field does not mention the pipeline %j, which has no other settings',
  (pipeline) => expect(otherSettings(pipeline)).toBeUndefined(),
);

it('the fields and the JSON field make the stored pipeline again', () => {
  expect(pipelineOf((field) => FIELDS[field], otherSettings(STORED))).toEqual(STORED);
});

it('an emptied field removes its setting, and keeps those of the JSON field', () => {
  const { 'pipeline.turns.longest_ms': _longest, ...rest } = FIELDS;
  expect(pipelineOf((field) => rest[field], otherSettings(STORED)).turns).toEqual({ acknowledgements: ['mhm'] });
  expect(pipelineOf(() => undefined, undefined)).toEqual({});
});
