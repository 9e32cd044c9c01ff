import { PolicyJudgeService, providerChain, SummaryModelService } from '@app/agents';
import type { OwnedCall } from '@app/calls';
import type { Log } from '@app/common';
import { LOG } from '@app/common/settings';
import { Inject, Injectable } from '@nestjs/common';
import { AgentOnCall } from './agent-on-call.js';
import { settingsOf } from './session-of-call.js';
import { AgentVoicesService } from './agent-voices.service.js';
import type { CallClock } from '../call/call-clock.js';
import { type CallContext, renderContext } from '../call/call-context.service.js';
import { CallEndingService } from '../call/call-ending.service.js';
import { CallRecordsService } from '../call/call-records.service.js';
import { CallToolsService } from './call-tools.service.js';
import { NextAgentsService } from './next-agents.service.js';
import { LiveWordsService } from './live-words.service.js';
import { TelephonyService } from '../trunks/telephony.service.js';

/** Opens the agents of calls. */
@Injectable()
export class AgentOnCallFactory {
  constructor(
    private readonly voices: AgentVoicesService,
    private readonly telephony: TelephonyService,
    private readonly records: CallRecordsService,
    private readonly callTools: CallToolsService,
    private readonly nextAgents: NextAgentsService,
    private readonly summaries: SummaryModelService,
    private readonly policies: PolicyJudgeService,
    private readonly endings: CallEndingService,
    private readonly liveWords: LiveWordsService,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** Rejects with ProviderUnavailable when none of its providers is known and configured. */
  async open(call: OwnedCall, given: CallContext, clock: CallClock): Promise<AgentOnCall> {
    const now = clock.now();
    const { context, missing } = renderContext(given, now);
    const { voices, telephony, records, callTools, nextAgents, summaries, policies, endings, liveWords, log } = this;
    voices.startHearing(settingsOf(context).hearing ?? {});
    const providers = await voices.openProviders(providerChain(context.provider, context.provider_options));
    for (const { message: reason } of providers.unavailable)
      log.warn({ reason, call_id: context.id }, 'a provider of an agent is not available');
    if (missing.length > 0) {
      log.warn({ call_id: context.id, names: missing }, 'placeholders of an agent have no value in a call');
      await records.appendEvents(call, [{ at: now, type: 'variables_missing', data: { names: missing } }]);
    }
    const flow = await nextAgents.flowOf(context, now);
    const services = { telephony, records, callTools, nextAgents, summaries, policies, endings, liveWords, log };
    return new AgentOnCall(services, { call, context, given, flow, clock, providers, speech: voices.speech });
  }
}
