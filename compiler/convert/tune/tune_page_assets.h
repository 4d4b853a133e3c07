// Style and script of the page about tuning.
#ifndef COMPILER_CONVERT_TUNE_TUNE_PAGE_ASSETS_H_
#define COMPILER_CONVERT_TUNE_TUNE_PAGE_ASSETS_H_

#include "absl/strings/string_view.h"

namespace synap_internal {

inline constexpr absl::string_view kTunePageStyle = R"(
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #767d86; --line: #2f6fde; --paper: #fff; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ec; --soft: #8b939c; --paper: #15181c; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }
svg { width: 100%; height: auto; } svg text { font-size: 12px; fill: var(--soft); }
.middle { text-anchor: middle; } .end { text-anchor: end; }
.float { stroke: var(--soft); stroke-dasharray: 4 4; }
.axis { fill: none; stroke: var(--soft); } .front { fill: none; stroke: var(--line); }
circle { cursor: pointer; fill: var(--paper); stroke: var(--soft); stroke-width: 2; }
circle.best { stroke: var(--line); } circle.taken { stroke: var(--line); fill: var(--line); }
table { border-collapse: collapse; width: 100%; } th { text-align: left; color: var(--soft); }
td, th { padding: .2rem .6rem .2rem 0; } tr.taken td { font-weight: bold; }
tr.other td { color: var(--soft); }
button { font: inherit; color: inherit; background: none; border: 0; padding: 0; cursor: pointer;
  text-align: left; text-decoration: underline dotted; }
pre { padding: 1rem; border: 1px solid var(--soft); overflow-x: auto; min-height: 8rem; }
)";

inline constexpr absl::string_view kTunePageScript = R"(
const show = e => { const point = e.target.closest('[data-point]');
  if (point) document.getElementById('metafile').textContent =
    document.getElementById('m' + point.dataset.point).textContent; };
document.addEventListener('click', show);
document.addEventListener('keydown', e => { if (e.key === 'Enter' || e.key === ' ') show(e); });
)";

}  // namespace synap_internal

#endif  // COMPILER_CONVERT_TUNE_TUNE_PAGE_ASSETS_H_
