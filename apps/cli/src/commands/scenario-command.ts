import { AccountsModule, AccountsService } from '@app/accounts';
import { isUuid, type Env, NotFound } from '@app/common';
import { EgressModule } from '@app/egress';
import { StorageModule } from '@app/storage';
import { CallScenariosService, TestRunsModule } from '@app/simulation';
import { stringify } from 'yaml';
import { accountIdOf, onlyAccount, withSecrets } from '../command-context.js';
import { Problem, writeOutput } from '../problem.js';

export interface FromCallOptions {
  account?: string;
  output?: string;
}

/** `trunkline scenario from-call ID`: writes a stored call as a scenario file. */
export async function fromCallCommand(env: Env, callId: string, options: FromCallOptions): Promise<void> {
  if (!isUuid(callId)) throw new Problem(`${callId} is not the id of a call.`);
  await withSecrets(env, [EgressModule, StorageModule, AccountsModule, TestRunsModule], async (services) => {
    const accounts = services.get(AccountsService);
    const account = options.account ?? (await onlyAccount(accounts));
    const accountId = await accountIdOf(accounts, account);
    const { agent, scenario } = await services
      .get(CallScenariosService)
      .of({ accountId, callId })
      .catch((error: unknown) => {
        if (error instanceof NotFound) throw new Problem(`${error.message} (account "${account}")`, { cause: error });
        throw error;
      });
    const file = stringify({ account, ...(agent !== null && { agent }), ...scenario });
    if (options.output === undefined) return console.log(file.trimEnd());
    writeOutput(options.output, file);
    console.log(`${options.output} is written.`);
  });
}
