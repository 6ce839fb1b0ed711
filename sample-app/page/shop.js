// The buttons of the page, and the parts that change by themselves. Served as it is.

/** What each card's button asks of the shop. */
const RUNS = {
  sale: (locked) => post(`/sales/lamp?locked=${locked}`),
  reports: () => post('/reports/next-tick'),
  catalog: (locked) => post(`/catalog/lamp-${crypto.randomUUID()}/rush?locked=${locked}`),
  payment: doubleClick,
  fencing: () => post('/orders/paused-shipment'),
};

/** How long after an answer the next one is asked for, in milliseconds. */
const REFRESH = { locks: 250, reports: 1000 };

for (const card of document.querySelectorAll('[data-card]')) {
  for (const button of card.querySelectorAll('button')) {
    button.addEventListener('click', () => void run(card, button));
  }
}
for (const part of document.querySelectorAll('[data-live]')) void keepFresh(part);

async function run(card, button) {
  const error = card.querySelector('.error');
  const result = card.querySelector(`.result[data-locked=${button.dataset.locked}]`);
  const buttons = [...card.querySelectorAll('button')];
  for (const each of buttons) each.disabled = true;
  button.setAttribute('aria-busy', 'true');
  error.hidden = true;
  try {
    show(result, await RUNS[card.dataset.card](button.dataset.locked));
  } catch (failure) {
    error.textContent = failure.message;
    error.hidden = false;
  }
  button.removeAttribute('aria-busy');
  for (const each of buttons) each.disabled = false;
  button.focus(); // a button loses it when it is disabled
}

function show(result, answer) {
  for (const field of result.querySelectorAll('[data-field]')) {
    field.textContent = answer[field.dataset.field];
  }
  const bar = result.querySelector('[data-bar]');
  if (!bar) return;
  const value = answer[bar.dataset.bar];
  const { mark, end } = bar.dataset;
  bar.style.setProperty('--part', Math.min(value, mark) / end);
  bar.style.setProperty('--beyond', Math.max(0, value - mark) / end);
  result.dataset.outcome = value > mark ? 'bad' : 'good';
}

/** Two requests at once, as from an impatient hand. */
async function doubleClick(locked) {
  const headers = { 'Idempotency-Key': crypto.randomUUID() };
  const click = () => post(`/payments?locked=${locked}`, headers);
  const receipts = await Promise.all([click(), click()]);
  return { clicks: receipts.length, charges: new Set(receipts.map(({ charge }) => charge)).size };
}

async function post(path, headers = {}) {
  const response = await fetch(path, { method: 'POST', headers });
  const answer = await response.json();
  if (!response.ok) throw new Error(`The shop answered ${response.status}: ${answer.message}`);
  return answer;
}

/** Asks for a part of the page again and again, also after the shop was away. */
async function keepFresh(part) {
  const name = part.dataset.live;
  try {
    const response = await fetch(`/live/${name}`);
    if (!response.ok) throw new Error(response.statusText);
    part.innerHTML = await response.text();
    tell('live');
  } catch {
    tell('no answer');
  }
  setTimeout(() => void keepFresh(part), REFRESH[name]);
}

function tell(state) {
  const pulse = document.querySelector('[data-pulse]');
  pulse.textContent = state;
  pulse.dataset.pulse = state;
}
