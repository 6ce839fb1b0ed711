import { NpmScript } from './npm-script.js';
import { freePort } from './redis/free-port.js';

export interface SampleShop {
  readonly url: string;
  stop(): Promise<void>;
}

/** The sample as the README starts it: `npm start`. Resolves when it is open. */
export async function startSampleShop(env: Readonly<Record<string, string>> = {}): Promise<SampleShop> {
  const port = await freePort();
  const script = new NpmScript(['start'], { PORT: String(port), REDIS_URL: '', ...env });
  await script.printed(/The shop is open/);
  return { url: `http://127.0.0.1:${port}`, stop: () => script.stop() };
}
