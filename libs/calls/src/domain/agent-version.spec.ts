import { newId } from '@app/common';
import { describe, expect, it } from '@jest/globals';
import { canaryOf, takesCanary, type VersionedAgent, versionFor, withVersion } from './agent-version.js';

const agent = (canary: Partial<VersionedAgent> = {}): VersionedAgent => ({
  post_call_webhook: null,
  call_status_webhook: { url: 'https://example.com/a', method: 'POST' },
  transfer_enabled: false,
  transfer_phone_number: null,
  transfer_caller_id_number_id: null,
  transfer_options: null,
  agent_version: 3,
  canary_version: null,
  canary_percent: null,
  canary_settings: null,
  ...canary,
});
const canary = {
  canary_version: 4,
  canary_settings: { call_status_webhook: { url: 'https://example.com/b', method: 'PUT' } },
};

describe('the version of a new call', () => {
  it.each([1, 10, 50, 90, 99])(
    'is the canary for %i percent of 1,000 calls within three standard deviations',
    (percent) => {
      const share = percent / 100;
      const deviation = Math.sqrt(1_000 * share * (1 - share));
      const one = agent({ ...canary, canary_percent: percent });
      // Of one moment, as the calls of one request: their ids begin with the same time.
      const taken = Array.from({ length: 1_000 }, () => versionFor(one, newId())).filter(
        ({ version }) => version === 4,
      );
      expect(Math.abs(taken.length - 1_000 * share)).toBeLessThanOrEqual(3 * deviation);
    },
  );

  it('is the same each time for the same call', () => {
    const id = newId();
    expect(new Set(Array.from({ length: 20 }, () => takesCanary(id, 50))).size).toBe(1);
  });

  it.each([
    ['the current one without a canary', agent(), 3, 'https://example.com/a'],
    ['the canary when it takes all calls', agent({ ...canary, canary_percent: 100 }), 4, 'https://example.com/b'],
    [
      'the current one when the canary takes no calls',
      agent({ ...canary, canary_percent: 0 }),
      3,
      'https://example.com/a',
    ],
  ])('is %s, with its webhooks', (_name, one, version, url) => {
    const chosen = versionFor(one, newId());
    expect([chosen.version, chosen.settings.call_status_webhook?.url]).toEqual([version, url]);
  });

  it('keeps the settings of the agent that the version of the canary lacks', () =>
    expect(canaryOf(agent({ ...canary, canary_percent: 1 }))?.settings.transfer_enabled).toBe(false));
});

describe('the settings of a version', () => {
  const row = { provider: 'sandbox', greeting: 'New.', metadata: 1 };

  it.each([
    [
      'replace those of the agent',
      { provider: 'openai-live', greeting: 'Old.' },
      ['provider', 'greeting'],
      'openai-live',
      'Old.',
    ],
    ['are those of the agent when there is no version', null, ['provider', 'greeting'], 'sandbox', 'New.'],
    ['do not replace columns of the call', { greeting: 'Old.', metadata: 2 }, ['greeting'], 'sandbox', 'Old.'],
    ['keep the column of the agent that was added later', { provider: 'x' }, ['provider', 'greeting'], 'x', 'New.'],
  ] as const)('%s', (_name, settings, columns, provider, greeting) =>
    expect(withVersion(row, settings, [...columns])).toEqual({ provider, greeting, metadata: 1 }),
  );
});
