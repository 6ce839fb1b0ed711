import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { guideTo } from './app.guide.js';
import { AppModule } from './app.module.js';
import { port } from './app.settings.js';
import { store } from './app.store.js';

const HOST = '127.0.0.1';

const app = await NestFactory.create(AppModule, { logger: ['warn', 'error', 'fatal'] });
app.enableShutdownHooks(); // on SIGINT and SIGTERM running work ends, and its locks are released

try {
  await pingStore();
  app.useLogger(['fatal']); // Nest tells of a taken port too, with less help
  await app.listen(port, HOST);
  app.useLogger(['warn', 'error', 'fatal']);
  console.log(guideTo(await app.getUrl()));
} catch (error) {
  console.error(reasonOf(error));
  process.exitCode = 1;
  await app.close();
}

/** Later on a store that is down makes requests fail with 503; at the start it is more likely a wrong address. */
async function pingStore(): Promise<void> {
  try {
    await store.ping();
  } catch (error) {
    throw new Error('Redis does not answer. Is it running, and is REDIS_URL right?', { cause: error });
  }
}

function reasonOf(error: unknown): string {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EADDRINUSE':
      return `Port ${port} is in use. Choose another: PORT=${port + 1} npm start`;
    case 'EACCES':
      return `Port ${port} needs rights that this process lacks. Choose another: PORT=3000 npm start`;
    case 'ERR_SOCKET_BAD_PORT':
      return `PORT is '${process.env.PORT}': it has to be a number from 0 to 65535.`;
    default:
      return `The shop could not start: ${error instanceof Error ? error.message : String(error)}`;
  }
}
