import type { TaskKinds } from '@app/telephony';

export const tasks: TaskKinds;
