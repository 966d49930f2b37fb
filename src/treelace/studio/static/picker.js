// Runs inside of a captured page, alone: tells the studio which element was clicked on.
let shown = null;
addEventListener('pointerover', (event) => {
  shown?.removeAttribute('data-treelace-pointed');
  shown = event.target.closest?.('[data-treelace-node]');
  shown?.setAttribute('data-treelace-pointed', '');
}, true);
addEventListener('click', (event) => {
  event.preventDefault();
  const node = event.target.closest?.('[data-treelace-node]');
  if (node) parent.postMessage({ treelace: 'pointed', node: Number(node.getAttribute('data-treelace-node')) }, '*');
}, true);
