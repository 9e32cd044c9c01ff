import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { CallLeg, CarrierEngine, DialRequest, LegEnd } from '@app/telephony';

/** The phone that an engine calls. */
export interface CalledPhone {
  ring(): void;
  answer(): void;
  reject(status: number, reason: string): void;
  hangup(): void;
  press(digit: string): void;
  /** The caller cancelled or hung up. */
  readonly gone: Promise<void>;
}

export interface EngineUnderTest {
  engine: CarrierEngine;
  destination: DialRequest['destination'];
  /** Sets the behaviour of the phone for every call from now on. */
  onCall(phone: (call: CalledPhone) => void): void;
  /** Ends the engine and its resources. */
  stop(): Promise<void>;
}

const never = (): Promise<never> => new Promise(() => undefined);

/** The common behaviour of every engine behind CarrierEngine. */
export function describeEngine(name: string, start: () => Promise<EngineUnderTest>): void {
  describe(`the engine ${name}`, () => {
    let under: EngineUnderTest;

    beforeEach(async () => {
      under = await start();
    });
    afterEach(() => under.stop());

    const dial = (more: Partial<DialRequest> = {}, signal?: AbortSignal): Dialled =>
      follow(under.engine.dial({ ...request(under), ...more }, signal));

    it('reports trying, ringing and answered, and hangs up', async () => {
      let gone = never() as Promise<void>;
      under.onCall((phone) => {
        gone = phone.gone;
        phone.ring();
        phone.answer();
      });
      const { leg, events, ended } = dial();
      leg.on('answered', () => leg.hangup('agent_hangup'));
      expect(await ended).toMatchObject({ status: 'completed', cause: 'agent_hangup', endedBy: 'agent' });
      expect(events).toEqual(['trying', 'ringing', 'answered', 'ended']);
      await gone;
    });

    it('ends as normal_clearing when the phone hangs up', async () => {
      let phone: CalledPhone | undefined;
      under.onCall((call) => {
        phone = call;
        call.answer();
      });
      const { leg, ended } = dial();
      leg.on('answered', () => phone!.hangup());
      expect(await ended).toMatchObject({ status: 'completed', cause: 'normal_clearing', endedBy: 'callee' });
    });

    it.each([
      [486, 'Busy Here', 'busy', 'user_busy'],
      [600, 'Busy Everywhere', 'busy', 'user_busy'],
      [603, 'Decline', 'busy', 'call_rejected'],
      [480, 'Temporarily Unavailable', 'no_answer', 'no_answer'],
      [404, 'Not Found', 'failed', 'unallocated_number'],
      [403, 'Forbidden', 'failed', 'rejected_by_carrier'],
      [488, 'Not Acceptable Here', 'failed', 'incompatible_media'],
      [500, 'Server Internal Error', 'failed', 'service_unavailable'],
    ])('%i %s ends as %s', async (status, reason, legStatus, cause) => {
      under.onCall((phone) => phone.reject(status, reason));
      const { events, ended } = dial();
      expect(await ended).toMatchObject({ status: legStatus, cause, sipCode: status, sipReason: reason });
      expect(events).toEqual(['trying', 'ended']);
    });

    it('gives up without an answer in time, and the phone stops ringing', async () => {
      let gone = never() as Promise<void>;
      under.onCall((phone) => {
        gone = phone.gone;
        phone.ring();
      });
      const { ended } = dial({ ringTimeoutMs: 300 });
      expect(await ended).toMatchObject({ status: 'no_answer', cause: 'no_answer', endedBy: 'system' });
      await gone;
    });

    it.each(['hangup', 'signal'] as const)('is cancelled by its %s while it rings', async (way) => {
      let gone = never() as Promise<void>;
      under.onCall((phone) => {
        gone = phone.gone;
        phone.ring();
      });
      const abort = new AbortController();
      const { leg, ended } = dial({}, abort.signal);
      leg.on('ringing', () => (way === 'signal' ? abort.abort() : leg.hangup('cancelled')));
      expect(await ended).toMatchObject({ status: 'cancelled', cause: 'cancelled', endedBy: 'caller' });
      await gone;
    });

    it('places no call when the signal was aborted before', async () => {
      const called: CalledPhone[] = [];
      under.onCall((phone) => called.push(phone));
      const { events, ended } = dial({}, AbortSignal.abort());
      expect(await ended).toMatchObject({ status: 'cancelled' });
      expect([events, called]).toEqual([['ended'], []]);
    });

    it.each([
      ['an invalid destination', { destination: { kind: 'sip' as const, uri: 'sip:a\r\nb@h' } }],
      ['a number without a trunk', { destination: { kind: 'e164' as const, number: '+15550002' } }],
      ['a caller ID with a line break', { from: { number: '1>\r\nX: y' } }],
    ])('%s ends as invalid_number_format without an exception', async (_, wrong) => {
      const { events, ended } = dial(wrong);
      expect(await ended).toMatchObject({ status: 'failed', cause: 'invalid_number_format', endedBy: 'system' });
      expect(events).toEqual(['ended']);
    });

    it('reports a key once, on the leg and to the task on its audio', async () => {
      let phone: CalledPhone | undefined;
      under.onCall((call) => {
        phone = call;
        call.answer();
      });
      const { leg, ended } = dial();
      const onLeg = new Promise((resolve) => leg.on('dtmf', resolve));
      const onAudio = new Promise((resolve) =>
        leg.on('answered', () => {
          leg.attach('echo-keys', undefined).onMessage(resolve);
          phone!.press('5');
        }),
      );
      expect(await Promise.all([onLeg, onAudio])).toEqual(['5', '5']);
      leg.hangup('agent_hangup');
      await ended;
    });

    it('rejects refer and keys before the answer, and tasks before the phone rings', async () => {
      under.onCall((phone) => phone.ring());
      const { leg, ended } = dial();
      expect(() => leg.attach('echo-keys', undefined)).toThrow('no media');
      await new Promise<void>((resolve) => leg.on('ringing', resolve));
      expect(await leg.refer('sip:other@127.0.0.1')).toEqual({ accepted: false });
      await expect(leg.sendDtmf('1')).rejects.toThrow('no media');
      leg.hangup('cancelled');
      await ended;
    });

    it('takes a task while the phone rings, which hears the keys of the answered call', async () => {
      let phone: CalledPhone | undefined;
      under.onCall((call) => {
        phone = call;
        call.ring();
      });
      const { leg, ended } = dial();
      await new Promise<void>((resolve) => leg.on('open', resolve));
      const heard = new Promise((resolve) => leg.attach('echo-keys', undefined).onMessage(resolve));
      const answered = new Promise<void>((resolve) => leg.on('answered', () => resolve()));
      phone!.answer();
      await answered;
      phone!.press('7');
      expect(await heard).toBe('7');
      leg.hangup('agent_hangup');
      await ended;
    });

    it('waits for its calls while draining, hangs them up at the deadline, and dials no more', async () => {
      under.onCall((phone) => phone.answer());
      const { leg, ended } = dial();
      await new Promise<void>((resolve) => leg.on('answered', () => resolve()));
      const drained = under.engine.drain(new Date(Date.now() + 50));
      const late = dial();
      expect(await late.ended).toMatchObject({ status: 'failed', cause: 'drained' });
      expect(late.events).toEqual(['ended']);
      await drained;
      expect(await ended).toMatchObject({ status: 'completed', cause: 'drained', endedBy: 'system' });
    });
  });
}

interface Dialled {
  leg: CallLeg;
  events: string[];
  ended: Promise<LegEnd>;
}

function request({ destination }: EngineUnderTest): DialRequest {
  return { legId: 'one', destination, from: { number: '+15550001' }, ringTimeoutMs: 10_000 };
}

function follow(leg: CallLeg): Dialled {
  const events: string[] = [];
  for (const event of ['trying', 'ringing', 'early', 'answered', 'ended'] as const)
    leg.on(event, () => events.push(event));
  return { leg, events, ended: new Promise((resolve) => leg.on('ended', resolve)) };
}
