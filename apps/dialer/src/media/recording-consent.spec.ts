import { describe, expect, it } from '@jest/globals';
import type { StoredRecordingConsent } from '@app/agents';
import { consentFor } from './recording-consent.js';

const CONSENT: StoredRecordingConsent = {
  mode: 'ask',
  message: 'May we record?',
  prefixes: [],
  accept_keys: '1',
  on_refusal: 'continue_without_recording',
};

describe('the consent that a call needs', () => {
  const call = { direction: 'outbound', to_number: '+4930111', from_number: '+15550001', record: true } as const;
  it.each([
    [[], call, true],
    [['+49'], call, true],
    [['+1', '+43'], call, false],
    [['+1'], { ...call, direction: 'inbound' as const }, true],
    [['+49'], { ...call, to_number: 'sip:+4930111222@pbx.example.com' }, true],
    [['+1'], { ...call, to_number: 'sip:+4930111222@pbx.example.com' }, false],
    // Unknown numbers may be from anywhere.
    [['+49'], { ...call, to_number: 'sip:reception@pbx.example.com' }, true],
    [['+49'], { ...call, direction: 'inbound' as const, from_number: 'anonymous' }, true],
    [[], { ...call, record: false }, false],
  ])('for the prefixes %j and the call %j is needed: %s', (prefixes, given, isNeeded) => {
    const consent = { ...CONSENT, prefixes };
    expect(consentFor({ ...given, recording_consent: consent })).toEqual(isNeeded ? consent : undefined);
  });

  it('is none without the setting', () => expect(consentFor({ ...call, recording_consent: null })).toBeUndefined());
});
