package pglog

// french is PostgreSQL's fr.po. Blanks before colons and inside quotes stand for
// no-break spaces too.
func french() *language {
	return &language{
		name:     "French",
		messages: append(frenchEnds(), frenchMessages()...),
		lines:    frenchVacuum(),
		details: []translation{
			{"Le processus qui a échoué exécutait : {1}", "Failed process was running: {1}"},
			{"paramètres : {1}", "parameters: {1}"},
			{"Paramètres : {1}", "parameters: {1}"},
			{"préparation : {1}", "prepare: {1}"},
		},
		words: []string{" « ", "«\u00a0", " de la ", " du ", " le ", " les ", " est ", "processus", "connexion", "données"},
	}
}

func frenchMessages() []translation {
	return []translation{
		{"durée : {#1} ms", "duration: {1} ms"},
		{"durée : {#1} ms, instruction : {2}", "duration: {1} ms  statement: {2}"},
		{"durée : {#1} ms, analyse {2} : {3}", "duration: {1} ms  parse {2}: {3}"},
		{"durée : {#1} ms, lien {2} : {3}", "duration: {1} ms  bind {2}: {3}"},
		{"durée : {#1} ms  exécution de l'extraction à partir de {2}: {3}", "duration: {1} ms  execute fetch from {2}: {3}"},
		{"durée : {#1} ms  exécute {2}: {3}", "duration: {1} ms  execute {2}: {3}"},
		{"instruction : {1}", "statement: {1}"},
		{"exécution de l'extraction à partir de {1}: {2}", "execute fetch from {1}: {2}"},
		{"exécute {1}: {2}", "execute {1}: {2}"},
		{"fichier temporaire : chemin « {1} », taille {#2}", `temporary file: path "{1}", size {2}`},
		{"le processus {#1} est toujours en attente de {2} sur {3} après {#4} ms", "process {1} still waiting for {2} on {3} after {4} ms"},
		{"le processus {#1} a acquis {2} sur {3} après {#4} ms", "process {1} acquired {2} on {3} after {4} ms"},
		{"le processus {#1} a détecté un interblocage{2}", "process {1} detected deadlock {2}"},
		{"interblocage (deadlock) détecté", "deadlock detected"},
		{"Bloquage mortel détecté", "deadlock detected"},
		{"début du checkpoint : {1}", "checkpoint starting: {1}"},
		{"début du checkpoint :{1}", "checkpoint starting:{1}"},
		{"début du restartpoint :{1}", "restartpoint starting:{1}"},
		{"checkpoint terminé : a écrit {#1} tampons ({2}%); {3} fichiers WAL ajoutés, {4} supprimés, {5} recyclés ; " +
			"écriture={6} s, synchronisation={7} s, total={8} s; {9}",
			"checkpoint complete: wrote {1} buffers ({2}%); {3} WAL file(s) added, {4} removed, {5} recycled; write={6} s, sync={7} s, total={8} s; {9}"},
		{"VACUUM automatique de la table « {1} » : {#2} parcours d'index", `automatic vacuum of table "{1}": index scans: {2}`},
		{"VACUUM automatique agressif de la table « {1} » : {#2} parcours d'index", `automatic aggressive vacuum of table "{1}": index scans: {2}`},
		{"VACUUM automatique pour éviter une réutilisation des identifiants de transaction de la table « {1} » : {#2} parcours d'index",
			`automatic vacuum to prevent wraparound of table "{1}": index scans: {2}`},
		{"ANALYZE automatique de la table « {1} »", `automatic analyze of table "{1}"`},
		{"connexion reçue : {1}", "connection received: {1}"},
		{"connexion autorisée : utilisateur={1} base de données {2}", "connection authorized: user={1} database={2}"},
		{"connexion autorisée : utilisateur={1} base de données={2}", "connection authorized: user={1} database={2}"},
		{"déconnexion : durée de la session : {1}\nutilisateur={2} base={3} hôte={4}", "disconnection: session time: {1} user={2} database={3} host={4}"},
		{"paramètre « {1} » modifié par « {2} »", `parameter "{1}" changed to "{2}"`},
		{"a reçu SIGHUP, rechargement des fichiers de configuration", "received SIGHUP, reloading configuration files"},
		{"le système de bases de données est prêt {1}", "database system is ready to accept connections"},
		{"le système de bases de données {1}", "database system {1}"},
	}
}

// frenchVacuum is the lines below the first of an automatic vacuum or analyze.
func frenchVacuum() []translation {
	return []translation{
		{"pages : {#1} supprimées, {#2} restantes, {#3} parcourues ({4})", "pages: {1} removed, {2} remain, {3} scanned ({4})"},
		{"lignes : {#1} supprimées, {#2} restantes, {#3} sont mortes mais pas encore supprimables",
			"tuples: {1} removed, {2} remain, {3} are dead but not yet removable"},
		{"nouveau relfrozenxid: {#1}{2}", "new relfrozenxid: {1}"},
		{"nouveau relfrozenxid : {#1}{2}", "new relfrozenxid: {1}"},
		{"nouveau relminmxid: {#1}{2}", "new relminmxid: {1}"},
		{"nouveau relminmxid : {#1}{2}", "new relminmxid: {1}"},
		{"parcours d'index nécessaire : {#1} blocs de la table ({2}) ont {#3} versions mortes de lignes supprimées",
			"index scan needed: {1} pages from table ({2}) had {3} dead item identifiers removed"},
		{"parcours d'index non nécessaire : {#1} blocs de la table ({2}) ont {#3} versions mortes de lignes supprimées",
			"index scan not needed: {1} pages from table ({2}) had {3} dead item identifiers removed"},
		{`index "{1}": blocs : {#2} au total, {#3} nouvellement supprimés, {#4} actuellement supprimés, {#5} réutilisables`,
			`index "{1}": pages: {2} in total, {3} newly deleted, {4} currently deleted, {5} reusable`},
		{"chronométrage I/O : lecture : {#1} ms, écriture : {#2} ms", "I/O timings: read: {1} ms, write: {2} ms"},
		{"vitesse moyenne de lecture : {1}", "avg read rate: {1}"},
		{"utilisation du cache : {#1} récupérés, {#2} ratés, {#3} modifiés", "buffer usage: {1} hits, {2} misses, {3} dirtied"},
		{"utilisation des WAL : {#1} enregistrements, {#2} images complètes de blocs, {#3} octets",
			"WAL usage: {1} records, {2} full page images, {3} bytes"},
		{"utilisation du système : CPU : utilisateur : {#1} s, système : {#2} s, temps passé : {#3} s",
			"system usage: CPU: user: {1} s, system: {2} s, elapsed: {3} s"},
	}
}

// frenchEnds is the end of processes, of the server and of statements, and the
// recovery after a crash.
func frenchEnds() []translation {
	return []translation{
		{"processus serveur (PID {#1}) a été arrêté par le signal {#2} : {3}", "server process (PID {1}) was terminated by signal {2}: {3}"},
		{"les points de vérification (checkpoints) arrivent trop fréquemment\n(toutes les {#1} secondes)", "checkpoints are occurring too frequently ({1} seconds apart)"},
		{"les points de vérification (checkpoints) arrivent trop fréquemment\n(toutes les {#1} seconde)", "checkpoints are occurring too frequently ({1} seconds apart)"},
		{"le système de bases de données n'a pas été arrêté proprement ; restauration\nautomatique en cours", "database system was not properly shut down; automatic recovery in progress"},
		{"le système de bases de données a été interrompu ; dernier lancement connu à {1}", "database system was interrupted; last known up at {1}"},
		{"a reçu une demande d'arrêt rapide", "received fast shutdown request"},
		{"a reçu une demande d'arrêt intelligent", "received smart shutdown request"},
		{"a reçu une demande d'arrêt immédiat", "received immediate shutdown request"},
		{"la ré-exécution commence à {1}", "redo starts at {1}"},
		{"rejeu exécuté à {1} utilisation système : {2}", "redo done at {1} system usage: {2}"},
		{"annulation de la requête à cause du délai écoulé pour l'exécution de l'instruction", "canceling statement due to statement timeout"},
		{"annulation de la requête à la demande de l'utilisateur", "canceling statement due to user request"},
		{"annulation de la requête à cause du délai écoulé pour l'obtention des verrous", "canceling statement due to lock timeout"},
	}
}
