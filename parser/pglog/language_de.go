package pglog

// german is PostgreSQL's de.po.
func german() *language {
	return &language{
		name:     "German",
		messages: append(germanEnds(), germanMessages()...),
		lines:    germanVacuum(),
		details: []translation{
			{"Der fehlgeschlagene Prozess führte aus: {1}", "Failed process was running: {1}"},
			{"Parameter: {1}", "parameters: {1}"},
			{"Vorbereiten: {1}", "prepare: {1}"},
		},
		words: []string{"wurde", "wird", "nicht", "Datenbank", "Verbindung", "»", " der ", " ist ", "Prozess"},
	}
}

func germanMessages() []translation {
	return []translation{
		{"Dauer: {#1} ms", "duration: {1} ms"},
		{"Dauer: {#1} ms  Anweisung: {2}", "duration: {1} ms  statement: {2}"},
		{"Dauer: {#1} ms  Parsen {2}: {3}", "duration: {1} ms  parse {2}: {3}"},
		{"Dauer: {#1} ms  Binden {2}: {3}", "duration: {1} ms  bind {2}: {3}"},
		{"Dauer: {#1} ms  Ausführen Fetch von {2}: {3}", "duration: {1} ms  execute fetch from {2}: {3}"},
		{"Dauer: {#1} ms  Ausführen {2}: {3}", "duration: {1} ms  execute {2}: {3}"},
		{"Anweisung: {1}", "statement: {1}"},
		{"Ausführen Fetch von {1}: {2}", "execute fetch from {1}: {2}"},
		{"Ausführen {1}: {2}", "execute {1}: {2}"},
		{"temporäre Datei: Pfad »{1}«, Größe {#2}", `temporary file: path "{1}", size {2}`},
		{"Prozess {#1} wartet immer noch auf {2}-Sperre auf {3} nach {#4} ms", "process {1} still waiting for {2} on {3} after {4} ms"},
		{"Prozess {#1} erlangte {2}-Sperre auf {3} nach {#4} ms", "process {1} acquired {2} on {3} after {4} ms"},
		{"Prozess {#1} hat Verklemmung festgestellt, während er auf {2}", "process {1} detected deadlock while waiting for {2}"},
		{"Verklemmung (Deadlock) entdeckt", "deadlock detected"},
		{"Checkpoint beginnt: {1}", "checkpoint starting: {1}"},
		{"Checkpoint beginnt:{1}", "checkpoint starting:{1}"},
		{"Restart-Punkt beginnt:{1}", "restartpoint starting:{1}"},
		{"Checkpoint komplett: {#1} Puffer geschrieben ({2}%); {3} WAL-Datei(en) hinzugefügt, {4} entfernt, {5} wiederverwendet; " +
			"Schreiben={6} s, Sync={7} s, gesamt={8} s; {9}",
			"checkpoint complete: wrote {1} buffers ({2}%); {3} WAL file(s) added, {4} removed, {5} recycled; write={6} s, sync={7} s, total={8} s; {9}"},
		{"automatisches Vacuum der Tabelle »{1}«: Index-Scans: {#2}", `automatic vacuum of table "{1}": index scans: {2}`},
		{"automatisches aggressives Vacuum der Tabelle »{1}«: Index-Scans: {#2}", `automatic aggressive vacuum of table "{1}": index scans: {2}`},
		{"automatisches Vacuum der Tabelle »{1}« um Überlauf zu verhindern: Index-Scans: {#2}",
			`automatic vacuum to prevent wraparound of table "{1}": index scans: {2}`},
		{"automatisches aggressives Vacuum der Tabelle »{1}« um Überlauf zu verhindern: Index-Scans: {#2}",
			`automatic aggressive vacuum to prevent wraparound of table "{1}": index scans: {2}`},
		{"automatisches Analysieren der Tabelle »{1}«", `automatic analyze of table "{1}"`},
		{"automatisches Analysieren von Tabelle »{1}« Systembenutzung: CPU: Benutzer: {#2} s, System: {#3} s, verstrichen: {#4} s",
			`automatic analyze of table "{1}" system usage: CPU: user: {2} s, system: {3} s, elapsed: {4} s`},
		{"Verbindung empfangen: {1}", "connection received: {1}"},
		{"Verbindung autorisiert: Benutzer={1} Datenbank={2}", "connection authorized: user={1} database={2}"},
		{"Verbindungsende: Sitzungszeit: {1} Benutzer={2} Datenbank={3} Host={4}", "disconnection: session time: {1} user={2} database={3} host={4}"},
		{"Parameter »{1}« auf »{2}« gesetzt", `parameter "{1}" changed to "{2}"`},
		{"SIGHUP empfangen, Konfigurationsdateien werden neu geladen", "received SIGHUP, reloading configuration files"},
		{"Datenbanksystem ist bereit, um {1}", "database system is ready to accept connections"},
		{"Datenbanksystem wurde {1}", "database system was {1}"},
	}
}

// germanVacuum is the lines below the first of an automatic vacuum or analyze.
func germanVacuum() []translation {
	return []translation{
		{"Seiten: {#1} entfernt, {#2} verbleiben, {#3} gescannt ({4})", "pages: {1} removed, {2} remain, {3} scanned ({4})"},
		{"Seiten: {#1} entfernt, {#2} verbleiben, {#3} wegen Pins übersprungen, {#4} übersprungene eingefrorene",
			"pages: {1} removed, {2} remain, {3} skipped due to pins, {4} skipped frozen"},
		{"Tupel: {#1} entfernt, {#2} verbleiben, {#3} sind tot aber noch nicht entfernbar", "tuples: {1} removed, {2} remain, {3} are dead but not yet removable"},
		{"Tupel: {#1} entfernt, {#2} verbleiben, {#3} sind tot aber noch nicht entfernbar, ältestes xmin: {#4}",
			"tuples: {1} removed, {2} remain, {3} are dead but not yet removable, oldest xmin: {4}"},
		{"entfernbare Obergrenze: {#1}, was {#2} XIDs alt war als die Operation endete", "removable cutoff: {1}, which was {2} XIDs old when operation ended"},
		{"neue relfrozenxid: {#1}{2}", "new relfrozenxid: {1}"},
		{"neue relminmxid: {#1}{2}", "new relminmxid: {1}"},
		{"Index-Scan benötigt: in {#1} Seiten der Tabelle ({2}) wurden {#3} tote Item-Bezeichner entfernt",
			"index scan needed: {1} pages from table ({2}) had {3} dead item identifiers removed"},
		{"Index-Scan nicht benötigt: in {#1} Seiten der Tabelle ({2}) wurden {#3} tote Item-Bezeichner entfernt",
			"index scan not needed: {1} pages from table ({2}) had {3} dead item identifiers removed"},
		{"Index »{1}«: Seiten: {#2} gesamt, {#3} neu gelöscht, {#4} gegenwärtig gelöscht, {#5} wiederverwendbar",
			`index "{1}": pages: {2} in total, {3} newly deleted, {4} currently deleted, {5} reusable`},
		{"I/O-Zeitmessungen: Lesen: {#1} ms, Schreiben: {#2} ms", "I/O timings: read: {1} ms, write: {2} ms"},
		{"durchschn. Leserate: {1}", "avg read rate: {1}"},
		{"Puffer-Verwendung: {#1} Treffer, {#2} Verfehlen, {#3} geändert", "buffer usage: {1} hits, {2} misses, {3} dirtied"},
		{"Puffer-Verwendung: {#1} Treffer, {#2} gelesen, {#3} geändert", "buffer usage: {1} hits, {2} reads, {3} dirtied"},
		{"WAL-Benutzung: {#1} Einträge, {#2} Full Page Images, {#3} Bytes", "WAL usage: {1} records, {2} full page images, {3} bytes"},
		{"Systembenutzung: CPU: Benutzer: {#1} s, System: {#2} s, verstrichen: {#3} s", "system usage: CPU: user: {1} s, system: {2} s, elapsed: {3} s"},
	}
}

// germanEnds is the end of processes, of the server and of statements, and the
// recovery after a crash.
func germanEnds() []translation {
	return []translation{
		{"Serverprozess (PID {#1}) wurde von Signal {#2} beendet: {3}", "server process (PID {1}) was terminated by signal {2}: {3}"},
		{"Checkpoints passieren zu oft (alle {#1} Sekunden)", "checkpoints are occurring too frequently ({1} seconds apart)"},
		{"Checkpoints passieren zu oft (alle {#1} Sekunde)", "checkpoints are occurring too frequently ({1} seconds apart)"},
		{"Datenbanksystem wurde nicht richtig heruntergefahren; automatische Wiederherstellung läuft", "database system was not properly shut down; automatic recovery in progress"},
		{"Datenbanksystem wurde unterbrochen; letzte bekannte Aktion am {1}", "database system was interrupted; last known up at {1}"},
		{"schnelles Herunterfahren verlangt", "received fast shutdown request"},
		{"intelligentes Herunterfahren verlangt", "received smart shutdown request"},
		{"sofortiges Herunterfahren verlangt", "received immediate shutdown request"},
		{"Redo beginnt bei {1}", "redo starts at {1}"},
		{"Redo fertig bei {1} Systembenutzung: {2}", "redo done at {1} system usage: {2}"},
		{"storniere Anfrage wegen Zeitüberschreitung der Anfrage", "canceling statement due to statement timeout"},
		{"storniere Anfrage wegen Benutzeraufforderung", "canceling statement due to user request"},
		{"storniere Anfrage wegen Zeitüberschreitung einer Sperre", "canceling statement due to lock timeout"},
	}
}
