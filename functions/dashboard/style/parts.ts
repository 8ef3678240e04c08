/** The parts that pages are made of. */
export const parts = `
.panel,.card{background:var(--panel);border:1px solid var(--line);border-radius:12px;padding:1.25rem;min-width:0}
.panel{display:grid;gap:.875rem;align-content:start;grid-template-columns:minmax(0,1fr)}
.panel>.head h2{margin:0}
.panel>form+form{border-top:1px solid var(--line);padding-top:1rem}
.stack{display:grid;gap:1rem;justify-items:start;grid-template-columns:minmax(0,1fr)}
.stack>*{max-width:100%}.stack>.head,.stack>.cards,.stack>.wrap,.stack>.panel{width:100%}.stack>.field{width:100%;max-width:32rem}
.lead{font-size:var(--t3);line-height:1.45;max-width:60ch}
.panels{display:grid;gap:1.25rem;grid-template-columns:minmax(0,1fr)}
.dim{color:var(--dim)}.hint,.fine{font-size:var(--t1);color:var(--dim);max-width:65ch;overflow-wrap:anywhere}
.sm{display:none}
.nowrap,.amount{white-space:nowrap}.printed{display:none}.n{text-align:right}
.wrap{overflow-x:auto;max-width:100%}
.big{font-size:var(--t5);font-weight:620;letter-spacing:-.02em;line-height:1.15}
.field{display:grid;gap:.25rem}
.field label,legend{font-weight:550}legend{padding:0;margin-bottom:.375rem}
.fault{color:var(--bad);font-size:var(--t1)}
.fault::before{content:"✕ ";font-weight:700}
fieldset{border:0;padding:0;margin:0;display:grid;gap:.5rem}
.choice{display:flex;gap:.5rem;align-items:baseline}
.note{padding:.625rem .875rem;border-radius:8px;background:var(--sunk);max-width:65ch}
.note.ok{background:var(--ok-bg);color:var(--ok)}.note.warn{background:var(--warn-bg);color:var(--warn)}.note.bad{background:var(--bad-bg);color:var(--bad)}
.note a{color:inherit}
.tag{display:inline-block;font-size:var(--t1);line-height:1.4;font-weight:600;padding:.1rem .55rem;border-radius:.75rem;background:var(--sunk);color:var(--dim);white-space:nowrap}
.tag::first-letter{text-transform:uppercase}
.tag.ok{background:var(--ok-bg);color:var(--ok)}.tag.warn{background:var(--warn-bg);color:var(--warn)}.tag.bad{background:var(--bad-bg);color:var(--bad)}
.need{list-style:none;padding:0}
.need li{display:grid;grid-template-columns:minmax(7rem,auto) 1fr auto;gap:.25rem 1rem;align-items:baseline;padding:.75rem 0;border-top:1px solid var(--line)}
.need li:first-child{border-top:0;padding-top:0}.need li:last-child{padding-bottom:0}
.need .tag{justify-self:start}
.card{display:grid;gap:.375rem;align-content:start}
.row{display:flex;flex-wrap:wrap;justify-content:space-between;gap:.125rem .75rem;align-items:baseline}
.card h3 a{color:inherit}
meter{width:100%;height:.5rem}
.facts{display:grid;grid-template-columns:minmax(9rem,max-content) minmax(0,1fr);gap:.4rem 1.25rem}
.facts dt{color:var(--dim)}.facts dd{margin:0;overflow-wrap:anywhere}
.facts .sum{border-top:1px solid var(--line);padding-top:.4rem;font-weight:600;color:var(--ink)}
.rules{list-style:none;padding:0;display:grid;gap:.5rem}
.rules li{display:grid;grid-template-columns:5.5rem minmax(0,1fr);overflow-wrap:anywhere;gap:.75rem;align-items:baseline}
.rules .tag{justify-self:start}
.steps{list-style:none;padding:0;display:grid;gap:1rem;counter-reset:step}
.steps>li{counter-increment:step;display:grid;grid-template-columns:2.25rem minmax(0,1fr);gap:0 .75rem}
.steps>li::before{content:counter(step);width:2rem;height:2rem;border-radius:50%;display:grid;place-items:center;border:2px solid var(--line);color:var(--dim);font-weight:650}
.steps>li[data-state=now]::before{border-color:var(--accent);color:var(--accent)}
.steps>li[data-state=done]::before{content:"✓";border-color:var(--ok);color:var(--ok)}
.steps>li>div{padding-top:.25rem;display:grid;gap:.75rem;min-width:0;justify-items:start}
.steps>li>div>*{max-width:100%}.steps form{width:100%}
.steps>li[data-state=later] h2{color:var(--dim);font-weight:500}
.deposit{display:flex;flex-wrap:wrap;gap:1.25rem;align-items:start}
.deposit>div{flex:1 1 16rem;display:grid;gap:.75rem;min-width:0;justify-items:start}
.qr{width:9.5rem;flex:none;border-radius:8px;border:1px solid var(--line)}.qr-white{fill:#fff}.qr-black{fill:#000}
.whole{font-size:var(--t2);background:var(--sunk);padding:.5rem .75rem;border-radius:8px;display:inline-block;max-width:100%}
.target{display:block}
.id:not(.whole){white-space:nowrap}
.time{list-style:none;margin:0 0 0 .35rem;padding:0 0 0 1.25rem;border-left:2px solid var(--line)}
.time li{position:relative;padding:0 0 1rem}.time li:last-child{padding-bottom:0}
.time li::before{content:"";position:absolute;left:-1.63rem;top:.5rem;width:.625rem;height:.625rem;border-radius:50%;background:var(--panel);border:2px solid var(--accent)}
.time li.bad::before{border-color:var(--bad);background:var(--bad)}
.filters{display:flex;flex-wrap:wrap;gap:.75rem;align-items:start}.filters>button,.filters>.acts{margin-top:1.7rem}.filters .field{flex:1 1 10rem;max-width:16rem}
.filters.wide .field{flex-basis:20rem;max-width:34rem}
.more{display:flex;gap:.75rem;align-items:center}
.plot{display:grid;gap:.5rem;min-width:0}
.plot figcaption{display:flex;flex-wrap:wrap;justify-content:space-between;gap:.25rem 1rem}
.legend{display:flex;flex-wrap:wrap;gap:.25rem 1rem;font-size:var(--t1);color:var(--dim)}
.swatch{display:inline-block;width:.7rem;height:.7rem;border-radius:2px;margin-right:.4rem}
.plot svg{width:100%;height:auto;display:block;overflow:visible}
.grid{stroke:var(--line);stroke-width:1}.axis{font:11px var(--sans);fill:var(--dim)}
.s1{fill:var(--s1);background:var(--s1)}.s2{fill:var(--s2);background:var(--s2)}.s3{fill:var(--s3);background:var(--s3)}.s4{fill:var(--s4);background:var(--s4)}
.column{fill:transparent}.column:hover{fill:var(--ink);fill-opacity:.06}
.plot p.dim{font-size:var(--t1)}
.copy{display:inline-flex;min-height:0;padding:.05rem .5rem;margin-left:.4rem;font:500 var(--t1)/1.5 var(--sans);border-color:var(--line);color:var(--dim);vertical-align:baseline}
.whole+.copy{margin-left:0}.panel>.whole,.panel>.copy{justify-self:start}
.secret{display:flex;flex-wrap:wrap;gap:.5rem;align-items:center}
.links{display:flex;flex-wrap:wrap;gap:.5rem;list-style:none;padding:0}.links a{white-space:normal}
.acts.links-apart{gap:.5rem 1.5rem}
.solid{white-space:nowrap}
.detail{font:.8125rem/1.5 var(--mono);color:var(--dim);overflow-wrap:anywhere}
.empty{color:var(--dim);max-width:60ch}
`;
