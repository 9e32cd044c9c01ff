import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { MediaPool, type MediaPoolOptions, type PortRange } from '@app/telephony';

/** Media threads of the built library, with the tasks of `media-test-tasks`. */
export function openTestPool(
  threads: number,
  ports: PortRange,
  options: Pick<MediaPoolOptions, 'silentMs'> = {},
): Promise<MediaPool> {
  return MediaPool.start({
    ...options,
    threads,
    source: {
      entry: pathToFileURL(join(process.cwd(), 'test/support/media-test-thread.mjs')),
      data: () => ({ workerData: undefined }),
      execArgv: [],
    },
    ports,
    log: { debug: () => undefined, warn: () => undefined },
  });
}
