/** One of the shops, as its customers see it. */
export class ShopClient {
  constructor(readonly url: string) {}

  get<T>(path: string): Promise<T> {
    return this.#ask(path, {});
  }

  post<T>(path: string, headers: Readonly<Record<string, string>> = {}): Promise<T> {
    return this.#ask(path, { method: 'POST', headers });
  }

  async #ask<T>(path: string, init: RequestInit): Promise<T> {
    const response = await fetch(this.url + path, init);
    const body = await response.text();
    if (!response.ok) throw new Error(`${this.url}${path} answered ${response.status}: ${body}`);
    return (body === '' ? undefined : JSON.parse(body)) as T;
  }
}
