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

// x chooses the row that j and k led to
addEventListener('keydown', (event) => {
  if (event.key === 'x' && rows.includes(event.target)) event.target.querySelector('input[type=checkbox]')?.click();
});
