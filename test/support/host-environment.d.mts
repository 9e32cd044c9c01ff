export default class HostEnvironment {
  constructor(config: { projectConfig: object });
  teardown(): Promise<void>;
}
