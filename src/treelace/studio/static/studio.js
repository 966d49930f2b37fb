// Small comforts; everything can be read and done without them.

// unchanged lines of a source are folded: a click unfolds them
for (const fold of document.querySelectorAll('.diff-source tr.fold'))
  fold.addEventListener('click', () => {
    fold.parentElement.nextElementSibling.hidden = false;
    fold.parentElement.hidden = true;
  });

// choosing is asking, where a form has nothing else to fill in
for (const select of document.querySelectorAll('form[method=get] label > select'))
  select.addEventListener('change', () => select.form.requestSubmit());

// j and k walk through rows or changes, Enter opens, / searches
const rows = [...document.querySelectorAll('[data-rows] tbody tr, [data-changes] tbody tr')]
  .filter((row) => !row.closest('.diff-source') || row.querySelector('.went, .came, .changed, .moved, ins, del'));
let at = -1;
const go = (step) => {
  if (!rows.length) return;
  at = Math.max(0, Math.min(rows.length - 1, at + step));
  rows[at].tabIndex = -1;
  rows[at].focus({ preventScroll: true });
  rows[at].scrollIntoView({ block: 'center' });
};
addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) return;
  if (event.key === 'j') go(1);
  else if (event.key === 'k') go(-1);
  else if (event.key === 'Enter' && rows.includes(event.target)) event.target.querySelector('a')?.click();
  else if (event.key === '/') {
    document.querySelector('input[type=search]')?.focus();
    event.preventDefault();
  }
});

// a row of a tried table shows its place in the page beside it: only the fragment of the address
// changes, so the page is not loaded again
for (const table of document.querySelectorAll('[data-frame]')) {
  const frame = document.querySelector(table.dataset.frame), base = frame.src;
  let shown = '';
  const show = (event) => {
    const row = event.target.closest('[data-record]');
    if (!row || row.dataset.record === shown) return;
    shown = row.dataset.record;
    frame.src = `${base}#treelace-r${shown}`;
  };
  table.addEventListener('pointerover', show);
  table.addEventListener('click', show);
}

// e and n press what a row has for them
addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || !rows.includes(event.target)) return;
  event.target.querySelector(`[data-press="${CSS.escape(event.key)}"]`)?.click();
});

// x chooses the row that j and k led to
addEventListener('keydown', (event) => {
  if (event.key === 'x' && rows.includes(event.target)) event.target.querySelector('input[type=checkbox]')?.click();
});

// a job that is under way is followed; its page is written anew when it ends
const job = document.querySelector('[data-follow]');
if (job) {
  const events = new EventSource(job.dataset.follow);
  const cell = (text, kind) => {
    const td = document.createElement('td');
    td.textContent = text ?? '';
    if (kind) td.className = kind;
    return td;
  };
  events.onmessage = ({ data }) => {
    const state = JSON.parse(data);
    const counts = Object.entries(state.counts || {}).map(([name, count]) => {
      const box = document.createElement('div'), dt = document.createElement('dt'), dd = document.createElement('dd');
      box.className = 'fact';
      dt.textContent = name;
      dd.textContent = count.toLocaleString('en');
      box.append(dt, dd);
      return box;
    });
    document.querySelector('#job-counts').replaceChildren(...counts);
    document.querySelector('#job-said').textContent = state.said || '';
    document.querySelector('#job-lines')?.replaceChildren(...(state.lines || []).map((line) => {
      const row = document.createElement('tr');
      row.append(cell(line.event), cell(line.url, 'wide'), cell(line.status, 'number'), cell(line.note));
      return row;
    }));
  };
  events.addEventListener('end', () => {
    events.close();
    location.reload();
  });
}

// a click inside of a captured page: the picker there says which element; from nobody else is it
// taken, and nothing but a number
for (const frame of document.querySelectorAll('iframe[data-point]'))
  addEventListener('message', (event) => {
    const said = event.data;
    if (event.source !== frame.contentWindow || event.origin !== 'null' || said?.treelace !== 'pointed') return;
    if (!Number.isSafeInteger(said.node) || said.node < 0) return;
    const there = new URL(frame.dataset.point, location.href);
    there.searchParams.set('point', said.node);
    location.assign(there);
  });
